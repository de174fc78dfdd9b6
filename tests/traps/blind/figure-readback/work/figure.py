"""A forest plot of the original, to be completed by the replication."""

import re

with open("../initial_details.txt", encoding="utf-8") as file:
    estimate, se = map(float, re.search(r"b = ([\d.]+) \(SE = ([\d.]+)", file.read()).groups())

x, half = 200 + 5 * estimate, 5 * 1.96 * se
with open("forest.svg", "w", encoding="utf-8") as file:
    file.write(
        '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="80">\n'
        f'<line x1="{x - half:.1f}" x2="{x + half:.1f}" y1="40" y2="40" stroke="black"/>\n'
        f'<text x="10" y="44" data-b="{estimate}" data-se="{se}">poverty</text>\n</svg>\n'
    )
