def _openhands_find_skills(folder):
    """Makes the functions for agents importable; gives the name of the package that has them.

    The package of OpenHands 0.x, where it is installed, stays what it is: to import it takes seconds. The functions then come
    from the folder, under a name of their own. Elsewhere the folder takes the place of that package.
    """
    import importlib
    import importlib.util
    import os
    import sys

    package = 'openhands.runtime.plugins.agent_skills'
    parents = ['openhands', 'openhands.runtime', 'openhands.runtime.plugins']
    inside = os.path.join(*package.split('.'), 'agentskills.py')
    if any(os.path.isfile(os.path.join(place, inside)) for place in sys.path):
        own = 'openhands_agent_skills'
        place = os.path.join(folder, *package.split('.'))
        spec = importlib.util.spec_from_file_location(
            own, os.path.join(place, '__init__.py'), submodule_search_locations=[place]
        )
        sys.modules[own] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[own])
        return own
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
    return package
