def _openhands_find_skills(folder):
    """Makes sure that the functions for agents can be imported: the package that is there, or the one in the folder."""
    import importlib
    import os
    import sys

    package = 'openhands.runtime.plugins.agent_skills'
    parents = ['openhands', 'openhands.runtime', 'openhands.runtime.plugins']
    inside = os.path.join(*package.split('.'), 'agentskills.py')
    if any(os.path.isfile(os.path.join(place, inside)) for place in sys.path):
        try:
            importlib.import_module(package + '.agentskills')
            return
        except Exception:
            # It is there, but something that it needs is not.
            for name in [name for name in sys.modules if (name + '.').startswith('openhands.')]:
                del sys.modules[name]
    sys.path.append(folder)
    importlib.invalidate_caches()
    for name in [*parents, package]:
        # Another package of this name may be there, without the functions.
        ours = os.path.join(folder, *name.split('.'))
        try:
            module = importlib.import_module(name)
        except Exception:
            import types

            module = types.ModuleType(name)
            module.__path__ = []
            sys.modules[name] = module
        if ours not in list(module.__path__):
            module.__path__.append(ours)
    sys.modules.pop(package, None)
