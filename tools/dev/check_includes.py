#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every #include, and every DEPENDS, against the table in include_table.py.

Use: check_includes.py [ROOT]
"""

import re
import sys

import include_table
import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
LIBRARY = re.compile(r"ph_library\((\w+)(.*?)\)", re.DOTALL)
ROWS = include_table.rows()


def table_findings(rows):
    """The table itself: known folders only, no higher layer, no cycle."""
    found = []
    for folder, (layer, allowed) in rows.items():
        for other in sorted(allowed - {"public"}):
            if other not in rows:
                found.append(f"include table: {folder} lists {other}, which has no row")
            elif rows[other][0] > layer:
                found.append(f"include table: {folder} lists {other} of a higher layer")
    return found + cycle_findings({f: allowed & rows.keys() for f, (_, allowed) in rows.items()})


def cycle_findings(graph):
    """One finding for the first cycle met by removing folders that depend on nothing left."""
    left = dict(graph)
    while left:
        free = [folder for folder, allowed in left.items() if not allowed & left.keys()]
        if not free:
            return ["include table: a cycle among " + ", ".join(sorted(left))]
        for folder in free:
            del left[folder]
    return []


def place_of(path):
    """The folder of src/, or the part of the tree outside it, that a file belongs to."""
    text = path.as_posix()
    if text.startswith("include/parhelion/"):
        return include_table.public_owner(text.removeprefix("include/"))
    if text.startswith("src/"):
        return path.parts[1]
    matches = [place for place in include_table.PLACES if text.startswith(place + "/")]
    return matches[0] if matches else "unlisted"


def allowed_for(place):
    if place in ROWS:
        return ROWS[place][1] | {place}
    return include_table.PLACES.get(place, set())


def owner_of(header, path, root):
    """The folder that an included file belongs to; "" for a neighbour, None for an unknown file."""
    if header.startswith("parhelion/"):
        known = (root / "include" / header).is_file()
        return ("public", include_table.public_owner(header)) if known else None
    if (root / path.parent / header).is_file():
        return ""
    if (root / "src" / header).is_file():
        return header.split("/")[0]
    if (root / "kernels" / header).is_file():
        return "kernels"
    if place_of(path) == "tests" and (root / "tests" / header).is_file():
        return "tests"
    return None


def project_finding(path, header, root):
    place = place_of(path)
    owner = owner_of(header, path, root)
    allowed = allowed_for(place)
    if owner is None:
        return f"no file of the project is called {header}"
    if isinstance(owner, tuple):
        return public_finding(place, owner[1], allowed)
    if path.parts[0] == "include":
        return f"a public header may not include {header}: it is not installed"
    if owner in ("", place) or "all" in allowed:
        return None
    if owner not in allowed:
        return f"{place} may not include {owner}: {header}"
    return None


def public_finding(place, owner, allowed):
    if place is None or {"public", "all"} & allowed or owner == place or owner in allowed:
        return None
    return f"{place} may not include the public header of {owner or 'everything'}"


def third_party_finding(path, header, _root):
    place = place_of(path)
    for start, (folders, one_file) in include_table.THIRD_PARTY.items():
        if not header.startswith(start):
            continue
        if place not in folders and place != "tests":
            return f"<{header}> belongs to {', '.join(sorted(folders))} only"
        if one_file and path.suffix != ".cpp" and place != "tests":
            return f"<{header}> is costly: include it from one .cpp behind a header of ours"
        return None
    return system_finding(path, header)


def system_finding(path, header):
    in_source = path.parts[0] == "src"
    if header == "iostream" and in_source:
        return "no <iostream> in src/: write through fmt"
    if header.startswith("fmt/"):
        if path.suffix == ".h" and header != "fmt/core.h":
            return f"<{header}> in a header: <fmt/core.h> there, the rest in .cpp files"
        return None
    standard = "/" not in header and not header.endswith((".h", ".hpp"))
    if standard or header in include_table.SYSTEM or header.startswith(("sys/", "sanitizer/")):
        return None
    return f"<{header}> is not in the table of third-party headers"


def costly_findings(users):
    """Costly headers in more than one .cpp of src/; users: {(first letters): set of paths}."""
    return [f"{', '.join(sorted(paths))}: <{start}…> is costly: one .cpp only"
            for start, paths in sorted(users.items()) if len(paths) > 1]


def depends_findings(root):
    """DEPENDS of a folder's libraries say the same as its row."""
    found = []
    for path in tree.files(root, ("src",)):
        if path.name != "CMakeLists.txt":
            continue
        for _, body in LIBRARY.findall((root / path).read_text()):
            names = body.partition("DEPENDS")[2].split("LIBS")[0].split()
            for name in names:
                if folder_of_library(name) not in allowed_for(path.parts[1]):
                    found.append(f"{path}: {path.parts[1]} may not depend on {name}")
    return found


def folder_of_library(name):
    """`ir_kernel` and `plan_cpu` are libraries of the folders ir and plan."""
    folders = [f for f in ROWS if name == f or name.startswith(f + "_")]
    return max(folders, key=len, default=name)


def check(root):
    found = table_findings(ROWS)
    costly = {}
    paths = tree.cpp_files(root)
    for path in paths:
        text = RAW_STRING.sub('""', (root / path).read_text())
        for bracket, header in INCLUDE.findall(text):
            own = bracket == '"' or header.startswith("parhelion/")
            check_one = project_finding if own else third_party_finding
            problem = check_one(path, header, root)
            if problem:
                found.append(f"{path}: {problem}")
            for start, (_, one_file) in include_table.THIRD_PARTY.items():
                if one_file and path.parts[0] == "src" and header.startswith(start):
                    costly.setdefault(start, set()).add(str(path))
    found += costly_findings(costly) + depends_findings(root)
    found += [f"src/{p.name}: no row in the include table" for p in sorted((root / "src").glob("*"))
              if p.is_dir() and p.name not in ROWS]
    return found, f"{len(paths)} files"


if __name__ == "__main__":
    sys.exit(tree.finish("check_includes", *check(tree.root_from_arguments())))
