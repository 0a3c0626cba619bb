use super::*;

fn found(bytes: &[u8]) -> (&'static str, String) {
    let charset = Charset::detect(bytes, None);
    let unmarked = bytes.strip_prefix(charset.mark).unwrap();
    (charset.name(), charset.decode(unmarked).into_owned())
}

#[test]
fn marks_decide_and_are_no_text() {
    assert_eq!(found(b"\xEF\xBB\xBFhi\n"), ("UTF-8", "hi\n".to_owned()));
    assert_eq!(found(b"\xFF\xFEh\0i\0"), ("UTF-16LE", "hi".to_owned()));
    assert_eq!(found(b"\xFE\xFF\0h\0i"), ("UTF-16BE", "hi".to_owned()));
}

#[test]
fn utf16_is_known_without_a_mark() {
    let text = "hello world\nsecond line\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(found(&little), ("UTF-16LE", text.to_owned()));
    assert_eq!(found(&big), ("UTF-16BE", text.to_owned()));
    assert_eq!(found(b"a\0b").0, "UTF-8");
}

#[test]
fn short_western_text_is_windows_1252() {
    for (bytes, text) in [
        (
            &b"caf\xE9 na\xEFve fa\xE7ade d\xE9j\xE0 vu\nr\xE9sum\xE9\n"[..],
            "café naïve façade déjà vu\nrésumé\n",
        ),
        (b"caf\xE9\n", "café\n"),
        (b"na\xEFve\n", "naïve\n"),
        (b"Stra\xDFe f\xFCr \xC4rzte\n", "Straße für Ärzte\n"),
        (b"se\xF1or \xBFqu\xE9?\n", "señor ¿qué?\n"),
        (b"\x93quoted\x94 \x96 10 \x80\n", "“quoted” – 10 €\n"),
        (b"CV \xE9\n", "CV é\n"),
    ] {
        assert_eq!(found(bytes), ("windows-1252", text.to_owned()), "{text}");
    }
}

#[test]
fn longer_text_of_other_scripts_is_recognised() {
    for (encoding, text) in [
        (
            encoding_rs::SHIFT_JIS,
            "こんにちは世界。これは日本語のテキストです。\n漢字とかなが混ざっています。\n",
        ),
        (
            encoding_rs::EUC_JP,
            "こんにちは世界。これは日本語のテキストです。\n漢字とかなが混ざっています。\n",
        ),
        (
            encoding_rs::GBK,
            "你好，世界。这是一个中文文本文件。\n我们在测试编码检测。\n",
        ),
        (
            encoding_rs::BIG5,
            "你好，世界。這是一個中文文字檔案。\n我們在測試編碼偵測。\n",
        ),
        (
            encoding_rs::EUC_KR,
            "안녕하세요 세계. 이것은 한국어 텍스트입니다.\n인코딩을 시험합니다.\n",
        ),
        (
            encoding_rs::WINDOWS_1251,
            "Привет, мир! Это русский текст в старой кодировке.\nПроверка.\n",
        ),
        (
            encoding_rs::KOI8_U,
            "Привет, мир! Это русский текст в старой кодировке.\nПроверка.\n",
        ),
        (
            encoding_rs::WINDOWS_1253,
            "Καλημέρα κόσμε, αυτό είναι ένα ελληνικό κείμενο.\n",
        ),
        (
            encoding_rs::WINDOWS_1250,
            "Zażółć gęślą jaźń. Wśród nocnej ciszy płynęła łódź, a źrebię piło wodę ze źródła.\n",
        ),
    ] {
        let (bytes, _, failed) = encoding.encode(text);
        assert!(!failed, "{}", encoding.name());
        assert_eq!(found(&bytes).1, text, "{}", encoding.name());
    }
}

#[test]
fn a_declaration_is_believed_when_the_bytes_agree() {
    let koi = b"# -*- coding: koi8-r -*-\n# \xD0\xD2\n";
    assert_eq!(
        found(koi),
        ("KOI8-R", "# -*- coding: koi8-r -*-\n# пр\n".to_owned())
    );
    let latin = b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n# \xE9\n";
    assert_eq!(found(latin).0, "windows-1252");
    // 0xFF cannot begin a Shift_JIS character.
    assert_ne!(
        found(b"# coding: shift_jis\n\xFF\xFF \xE9\n").0,
        "Shift_JIS"
    );
    assert_ne!(found(b"# coding: no-such-thing\n\xE9\n").0, "no-such-thing");
}

#[test]
fn utf8_with_a_broken_byte_stays_utf8() {
    let bytes = "naïve café über\n"
        .bytes()
        .chain(*b"\xFF\n")
        .collect::<Vec<_>>();
    assert_eq!(
        found(&bytes),
        ("UTF-8", "naïve café über\n\u{FFFD}\n".to_owned())
    );
}

#[test]
fn what_the_file_was_before_settles_a_doubtful_case() {
    let russian = Charset::legacy(encoding_rs::WINDOWS_1251);
    let bytes = b"\xCF\xF0\n";
    assert_eq!(Charset::detect(bytes, Some(russian)), russian);
    // But never against UTF-8.
    assert_eq!(
        Charset::detect("é".as_bytes(), Some(russian)),
        Charset::UTF_8
    );
}

#[test]
fn characters_that_would_come_back_as_others_are_refused() {
    let japanese = Charset::legacy(encoding_rs::SHIFT_JIS);
    assert_eq!(japanese.encode("a¥b"), Err('¥'));
    assert_eq!(japanese.encode("a漢"), Ok(Cow::Borrowed(&b"a\x8A\xBF"[..])));
    assert_eq!(Charset::legacy(WINDOWS_1252).encode("é漢"), Err('漢'));
}
