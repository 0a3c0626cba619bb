//! What HTML 4 says of tags: which have no content, which end others, which end tags reach how far.

/// A tag without content, so without an end tag, for the reader.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "br"
            | "col"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "isindex"
            | "link"
            | "meta"
            | "param"
    )
}

/// A tag that is written in one piece when it is empty.
pub(super) fn is_written_short(name: &str) -> bool {
    is_void(name)
        || matches!(
            name,
            "bgsound"
                | "command"
                | "embed"
                | "image"
                | "keygen"
                | "menuitem"
                | "nextid"
                | "source"
                | "spacer"
                | "track"
                | "wbr"
        )
}

/// Whether the start of `new` ends `open`, the innermost open element.
pub(super) fn ends(open: &str, new: &str) -> bool {
    let enders: &[&str] = match open {
        "a" => &["a", "fieldset", "table", "td", "th"],
        "address" => &["dd", "dl", "dt", "form", "li", "ul"],
        "b" | "i" => &["center", "p", "td", "th"],
        "big" | "s" | "small" | "strike" | "tt" => &["p"],
        "caption" => &["col", "colgroup", "tbody", "tfoot", "thead", "tr"],
        "colgroup" => &["colgroup", "tbody", "tfoot", "thead", "tr"],
        "dd" => &["dt"],
        "dir" | "menu" => &["dd", "dl", "dt", "form", "ul"],
        "dl" => &["form", "li"],
        "dt" => &["dd", "dl"],
        "font" => &["center", "td", "th"],
        "form" | "ol" => &["form"],
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => &["fieldset", "form", "li", "p", "table"],
        "head" => ENDS_HEAD,
        "legend" => &["fieldset"],
        "li" => &["li"],
        "listing" | "pre" | "xmp" => &["dd", "dl", "dt", "fieldset", "form", "li", "table", "ul"],
        "option" => &["optgroup", "option"],
        "p" => ENDS_PARAGRAPH,
        "span" => &["td", "th"],
        "tbody" | "thead" => &["tbody", "tfoot"],
        "td" | "th" => &["tbody", "td", "tfoot", "th", "tr"],
        "tfoot" => &["tbody"],
        "title" => &["body", "frameset"],
        "tr" => &["tbody", "tfoot", "tr"],
        "u" => &["p", "td", "th"],
        "ul" => &["address", "form", "menu", "pre"],
        _ => &[],
    };
    // The lists are in the order of the alphabet.
    enders.binary_search(&new).is_ok()
}

const ENDS_HEAD: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "b",
    "bdo",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "cite",
    "code",
    "dd",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "font",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "iframe",
    "img",
    "kbd",
    "li",
    "listing",
    "map",
    "menu",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
    "xmp",
];

const ENDS_PARAGRAPH: &[&str] = &[
    "address",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "li",
    "listing",
    "menu",
    "ol",
    "p",
    "pre",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "title",
    "tr",
    "ul",
    "xmp",
];

/// How strong an element holds against the end tag of an outer one.
pub(super) fn strength(name: &str) -> u8 {
    match name {
        "div" => 150,
        "td" | "th" => 160,
        "tr" => 170,
        "thead" | "tbody" | "tfoot" => 180,
        "table" => 190,
        "head" | "body" => 200,
        "html" => 220,
        _ => 100,
    }
}
