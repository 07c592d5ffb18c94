# SPDX-License-Identifier: BSD-2-Clause
"""stacks.py - folded stacks summed here, as what flame graphs of them must say; by names alone, without looking at how sberf does it."""
import functools
import gzip
import re
import struct

MASK = 0xFFFFFFFF


class Node:
    """A frame with everything above it: `own` ends here, `total` is with what is below."""

    def __init__(self, name, mark, parent):
        self.name, self.mark, self.parent = name, mark, parent
        self.own = self.total = 0
        self.below = {}

    def children(self):
        """Heaviest first, then by text: the order of the picture."""
        return sorted(self.below.values(), key=lambda n: (-n.total, n.name.encode(), n.mark))

    def path(self):
        """From the root down."""
        path = [self]
        while path[0].parent:
            path.insert(0, path[0].parent)
        return path


    def follows(self):
        """Both this frame and the one above it are nameless, and it is all that is below that one: they are one box."""
        up = self.parent
        return bool(up) and self.name == "[unknown]" == up.name and self.mark == up.mark and not up.own and len(up.below) == 1


def read(path):
    """All nodes, the root first."""
    nodes = [Node("all", "", None)]
    for line in (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8"):
        stack, _, weight = line.rstrip("\n").rpartition(" ")
        node = nodes[0]
        for frame in stack.split(";"):
            mark = re.search(r"(_\[[kij]\])?$", frame).group()
            name = frame[:len(frame) - len(mark)]
            if (name, mark) not in node.below:
                node.below[name, mark] = Node(name, mark, node)
                nodes.append(node.below[name, mark])
            node = node.below[name, mark]
        node.own += int(weight)
    for node in reversed(nodes):
        node.total += node.own
        if node.parent:
            node.parent.total += node.total
    return nodes


def matched(nodes, pattern):
    """The share of what has a match, or is below one."""
    expression = re.compile(pattern)
    left, weight = [nodes[0]], 0
    while left:
        node = left.pop()
        if expression.search(node.name):
            weight += node.total
        else:
            left.extend(node.below.values())
    return weight / nodes[0].total


@functools.lru_cache(maxsize=None)
def hash_text(text, seed):
    """FNV-1a over UTF-16."""
    value = seed ^ 0x811C9DC5
    data = text.encode("utf-16-le")
    for unit in struct.unpack("<%dH" % (len(data) // 2), data):
        value = (value ^ unit) * 0x01000193 & MASK
    return value


def link(node):
    """What the address of a flame graph calls NODE, as long as no other has the same names above it."""
    lanes = []
    for seed in (0, 0x5BD1E995):
        value = 0
        for frame in node.path()[1:]:
            value = (value ^ hash_text(frame.name, seed)) * 0x85EBCA6B & MASK
            value = ((value ^ 0x2545F491) * 0xC2B2AE35 + 1) & MASK
        lanes.append("%08x" % value)
    return "".join(lanes)
