"""Palettes by name: where their colours are from, and how ours are paced.

Sources, and the licences of the tables:

- ColorBrewer 2.0, C. Brewer, M. Harrower and The Pennsylvania State University, Apache 2.0.
- matplotlib: viridis, magma, inferno, plasma by S. van der Walt, N. Smith and E. Firing, CC0;
  cividis by J. Nuñez, C. Anderton and R. Renslow (PLoS ONE 13(7), 2018) and coolwarm by K. Moreland
  (ISVC 2009), both as matplotlib has them, under its licence.
- seaborn: rocket, mako, flare, crest, vlag, icefire by M. Waskom, BSD 3-clause.

Ours are even, so that a difference looks as large in the middle as near an end: steps are half
even in CIELAB (in distance from colour to colour) and half in its L*, by which both arms of a
diverging palette are about as dark as far from the middle. A twentieth of a ramp holds at most a
tenth of its whole distance. They rise in lightness for the colour-blind, too, and their two arms
stay apart: those of RdYlGn, RdGy and Spectral do not.
"""

from __future__ import annotations

OWN = {
    "lagoon": (
        "ffffd9 eef8c2 d6efb6 bee5b6 a6dbb8 8dd1ba 75c7be 60bcc0 4eafc0 42a3bf 3596bd "
        "2d89b9 267bb5 246eb0 2461a9 2554a3 25469c 233892 1b2d7f 12246b 081d58"
    ),
    "ember": (
        "ffffe5 fff8cb fff0b1 ffe698 ffdb81 ffcf6a ffc355 ffb543 fea636 fb972a f58821 "
        "ec7919 e16a12 d55b0a c74e05 b84303 a73b04 973405 862f06 762a06 662506"
    ),
    "poles": (
        "68001f 760322 840724 920d26 a01228 af1c2c ba2d32 c33e3a cb4d42 d25b4b d96954 "
        "e0775e e68468 ec9172 f09e7d f2aa8b f1b59b eebfab e9cabc e4d4cd dedede cdd8de "
        "bcd2de aaccde 98c6dd 88bdda 7ab4d5 6daad0 61a0cb 5497c6 498dc1 3e84bc 347ab7 "
        "2b71b1 2367aa 1d5d9f 185492 134a86 0f417a 0a386d 053061"
    ),
    "dusk": (
        "7f3b08 8a4108 964808 a24e07 ad5507 b85e09 c2670e cc7115 d67b1c df8626 e79130 "
        "ee9c3d f4a64c f9b05a fab96c f9c07f f6c692 f1cca5 ecd2b8 e6d8cb dedede d7d6dc "
        "d1ceda cac6d9 c3bed7 bcb7d5 b5afd2 aea6ce a69ec9 9f95c3 988dbe 9084b8 8a7cb3 "
        "8374ae 7d6ba9 7863a5 735ba1 6e539d 6a4b99 654395 603b91"
    ),
}
"""Ours. Colours of ColorBrewer's YlGnBu, YlOrBr, RdBu and PuOr in their order, the middle of the
last two a grey that differs from the paper; see the head of the file for their pace."""

BREWER_SEQUENTIAL = {
    "Blues": "f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b",
    "BuGn": "f7fcfd e5f5f9 ccece6 99d8c9 66c2a4 41ae76 238b45 006d2c 00441b",
    "BuPu": "f7fcfd e0ecf4 bfd3e6 9ebcda 8c96c6 8c6bb1 88419d 810f7c 4d004b",
    "GnBu": "f7fcf0 e0f3db ccebc5 a8ddb5 7bccc4 4eb3d3 2b8cbe 0868ac 084081",
    "Greens": "f7fcf5 e5f5e0 c7e9c0 a1d99b 74c476 41ab5d 238b45 006d2c 00441b",
    "Greys": "ffffff f0f0f0 d9d9d9 bdbdbd 969696 737373 525252 252525 000000",
    "Oranges": "fff5eb fee6ce fdd0a2 fdae6b fd8d3c f16913 d94801 a63603 7f2704",
    "OrRd": "fff7ec fee8c8 fdd49e fdbb84 fc8d59 ef6548 d7301f b30000 7f0000",
    "PuBu": "fff7fb ece7f2 d0d1e6 a6bddb 74a9cf 3690c0 0570b0 045a8d 023858",
    "PuBuGn": "fff7fb ece2f0 d0d1e6 a6bddb 67a9cf 3690c0 02818a 016c59 014636",
    "PuRd": "f7f4f9 e7e1ef d4b9da c994c7 df65b0 e7298a ce1256 980043 67001f",
    "Purples": "fcfbfd efedf5 dadaeb bcbddc 9e9ac8 807dba 6a51a3 54278f 3f007d",
    "RdPu": "fff7f3 fde0dd fcc5c0 fa9fb5 f768a1 dd3497 ae017e 7a0177 49006a",
    "Reds": "fff5f0 fee0d2 fcbba1 fc9272 fb6a4a ef3b2c cb181d a50f15 67000d",
    "YlGn": "ffffe5 f7fcb9 d9f0a3 addd8e 78c679 41ab5d 238443 006837 004529",
    "YlGnBu": "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58",
    "YlOrBr": "ffffe5 fff7bc fee391 fec44f fe9929 ec7014 cc4c02 993404 662506",
    "YlOrRd": "ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026",
}
"""ColorBrewer 2.0, nine classes."""

BREWER_DIVERGING = {
    "BrBG": "543005 8c510a bf812d dfc27d f6e8c3 f5f5f5 c7eae5 80cdc1 35978f 01665e 003c30",
    "PiYG": "8e0152 c51b7d de77ae f1b6da fde0ef f7f7f7 e6f5d0 b8e186 7fbc41 4d9221 276419",
    "PRGn": "40004b 762a83 9970ab c2a5cf e7d4e8 f7f7f7 d9f0d3 a6dba0 5aae61 1b7837 00441b",
    "PuOr": "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b",
    "RdBu": "67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061",
    "RdGy": "67001f b2182b d6604d f4a582 fddbc7 ffffff e0e0e0 bababa 878787 4d4d4d 1a1a1a",
    "RdYlBu": "a50026 d73027 f46d43 fdae61 fee090 ffffbf e0f3f8 abd9e9 74add1 4575b4 313695",
    "RdYlGn": "a50026 d73027 f46d43 fdae61 fee08b ffffbf d9ef8b a6d96a 66bd63 1a9850 006837",
    "Spectral": "9e0142 d53e4f f46d43 fdae61 fee08b ffffbf e6f598 abdda4 66c2a5 3288bd 5e4fa2",
}
"""The same, eleven classes."""

UNIFORM = {
    "viridis": (
        "440154 470d60 48186a 482374 472d7b 453781 424086 3e4989 3b528b 375b8d 33638d "
        "2f6b8e 2c728e 297a8e 26828e 23898e 21918c 1f978b 1f9f88 21a685 27ad81 31b57b "
        "3dbc74 4cc26c 5cc863 6ece58 81d34d 95d840 aadc32 c0df25 d5e21a eae51a fde725"
    ),
    "magma": (
        "000004 030312 0a0822 130d34 1d1147 29115a 36106b 440f76 51127c 5d177f 6a1c81 "
        "762181 832681 902a81 9c2e7f aa337d b73779 c23b75 cf4070 db476a e55064 ee5b5e "
        "f4695c f9785d fb8761 fd9668 fea571 feb47b fec287 fed194 fde0a1 fceeb0 fcfdbf"
    ),
    "inferno": (
        "000004 040312 0b0724 150b37 210c4a 2f0a5b 3d0965 4a0c6b 57106e 64156e 71196e "
        "7d1e6d 8a226a 972766 a32c61 b0315b bc3754 c63d4d d04545 da4e3c e35933 eb6429 "
        "f1711f f67e14 f98c0a fb9b06 fcaa0f fbba1f f9c932 f5d949 f2e865 f3f586 fcffa4"
    ),
    "plasma": (
        "0d0887 220690 310597 3f049c 4c02a1 5901a5 6600a7 7201a8 7e03a8 8a09a5 9511a1 "
        "a01a9c aa2395 b32c8e bc3587 c43e7f cc4778 d24f71 d9586a df6263 e56b5d eb7556 "
        "f07f4f f48948 f89441 fb9f3a fdab33 feb72d fdc328 fcd025 f9dd25 f5eb27 f0f921"
    ),
    "cividis": (
        "00224e 00285b 002e6a 053371 1a386f 273e6e 32436d 3b496c 434e6c 4b546c 535a6d "
        "5a5f6e 61656f 686a71 6f7073 767676 7d7c78 838179 8b8778 928d78 9a9376 a29975 "
        "aaa073 b3a670 bbad6d c3b369 ccba64 d4c15f ddc858 e6d051 efd748 f8df3c fee838"
    ),
    "rocket": (
        "03051a 0d0a21 180f29 241432 30173a 3c1a42 481c48 541e4e 611f53 6e1f57 7b1f59 "
        "891e5b 971c5b a4195b b21758 bf1654 cb1b4f d5224a de2e44 e63b40 ec4a3e ef5a41 "
        "f26948 f37852 f4865e f5946b f6a178 f6ae87 f6bb97 f7c7a8 f8d3ba f9dfcb faebdd"
    ),
    "mako": (
        "0b0405 140910 1c101c 241628 2b1c35 312142 37284f 3b2e5d 3e356b 403c79 414387 "
        "3f4c92 3b5698 385f9c 36699f 3572a1 357ba3 3483a5 348ca7 3495a9 359eaa 37a6ac "
        "3bafad 41b8ad 49c1ad 55caad 68d1ad 7fd7af 96ddb5 abe2be bee8ca ceeed7 def5e5"
    ),
    "flare": (
        "edb081 eca87c eca077 eb9972 ea916e e98969 e88165 e67961 e5715e e3695d e0615c "
        "dd5a5c d9535d d44d60 cf4862 c84465 c14168 bb3f6a b33c6c ac3a6d a4386f 9d3670 "
        "953470 8e3271 873171 7f2f70 772d6f 702c6e 682a6c 612969 592767 522564 4b2362"
    ),
    "crest": (
        "a5cd90 9cc891 93c491 8ac091 81bc91 78b891 70b390 68af90 61aa90 5aa690 53a190 "
        "4e9d90 48988f 43938f 3e8e8e 388a8e 33858d 2f818d 2a7c8c 25778c 21728b 1e6d8a "
        "1c6889 1c6388 1e5e87 1f5985 225383 244e80 26487e 28427a 2a3d77 2b3774 2c3172"
    ),
}
"""matplotlib's and seaborn's, 33 colours of 256."""

UNIFORM_DIVERGING = {
    "coolwarm": (
        "3b4cc0 445acc 4e68d8 5875e1 6282ea 6c8ff1 779af7 82a6fb 8db0fe 98b9ff a3c2fe "
        "aec9fc b9d0f9 c3d5f4 ccd9ed d5dbe5 dddcdc e4d9d2 ebd3c6 f1cdba f4c5ad f7bca1 "
        "f7b194 f7a688 f49a7b f18d6f ec7f63 e57058 de614d d55042 cb3e38 c0282f b40426"
    ),
    "vlag": (
        "2369bd 3972bc 4a7bbc 5983bd 678bbe 7594c0 829cc3 8fa5c7 9baecb a8b7cf b5c0d4 "
        "c2cada cfd4e0 dcdee6 e9e9ed f5f2f4 faf5f4 f9efee f4e3e2 eed7d5 e8cac8 e3bdbb "
        "deb1ae d9a5a2 d49896 cf8c8a ca817e c57572 c06967 ba5d5c b55151 af4446 a9373b"
    ),
    "icefire": (
        "bde7db a7d7d5 90c8d1 78b9ce 60abcd 4c9ccd 3c8ccf 377ad0 4167c7 4956b3 484996 "
        "413e77 37355c 2d2c45 252532 202025 1f1e1e 271e1f 352024 46242b 5a2834 702b3c "
        "872d42 9f2f44 b63441 c93f3a d95034 e56433 ed7b3e f29255 f6a871 fbbe8f ffd4ac"
    ),
}
"""The same of coolwarm (matplotlib), vlag and icefire (seaborn)."""

PALETTES: dict[str, tuple[str, ...]] = {
    name: tuple(f"#{code}" for code in codes.split())
    for table in (OWN, BREWER_SEQUENTIAL, BREWER_DIVERGING, UNIFORM, UNIFORM_DIVERGING)
    for name, codes in table.items()
}
"""Name → hex colours, in the order of their source."""
DIVERGING = frozenset({"poles", "dusk", *BREWER_DIVERGING, *UNIFORM_DIVERGING})
"""Those whose middle stands for something, such as zero."""
ALSO = {
    "bluegreen": "BuGn", "bluepurple": "BuPu", "greenblue": "GnBu", "orangered": "OrRd",
    "purpleblue": "PuBu", "purplebluegreen": "PuBuGn", "purplered": "PuRd", "redpurple": "RdPu",
    "yellowgreen": "YlGn", "yellowgreenblue": "YlGnBu", "yelloworangebrown": "YlOrBr",
    "yelloworangered": "YlOrRd", "brownbluegreen": "BrBG", "pinkyellowgreen": "PiYG",
    "purplegreen": "PRGn", "purpleorange": "PuOr_r", "redblue": "RdBu", "redgrey": "RdGy",
    "redyellowblue": "RdYlBu", "redyellowgreen": "RdYlGn", "gray": "Greys_r", "grey": "Greys_r",
}  # fmt: skip
"""What Vega, and matplotlib for grey, call those of ColorBrewer."""
