"""Sentences that tokenizers are tried with: many scripts, accents, emoji, control characters, odd spaces."""

from __future__ import annotations

TEXTS = [
    "",
    " ",
    "Hello, world!",
    "The quick brown fox jumps over the lazy dog. 12,345.67 times?",
    "  leading and   inner  spaces, tabs\tand\nnew lines\r\n ",
    "don't won't I'll we've she'd they're I'M IT'S",
    "unaffable antidisestablishmentarianism xqzzyk",
    "E-mail: someone@example.com, see https://example.com/a?b=c&d=%20#e",
    "Crème brûlée, naïve façade, Ångström, Łódź, İstanbul, Straße, ŒUVRE, ﬁne",
    "Cre\u0300me bru\u0302le\u0301e a\u0323\u0302 a\u0302\u0323",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΌΣΟΣ",
    "我能吞下玻璃而不伤身体。今天天气很好！",
    "いろはにほへと ちりぬるを、カタカナ ﾊﾝｶｸ がぎぐ",
    "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.",
    "각\u1100\u1161\u11a8",
    "שלום עולם, מה שלומך? שָׁלוֹם",
    "مرحبا بالعالم! كَيْفَ حالُكَ؟ ١٢٣",
    "नमस्ते दुनिया, क्या हाल है? १२३",
    "สวัสดีชาวโลก กำลังทดสอบ",
    "Tiếng Việt rất đẹp: ố ồ ổ ỗ ộ",
    "😀 😃👍🏽 👨‍👩‍👧‍👦 🇩🇪🏳️‍🌈 ❤️",
    "a\u00a0b\u2003c\u3000d\u200be\u200df\ufeffg\u2028h\u0085i",
    "\x00\x01nul\x07 bell\x1f \x7fdel \u00adsoft\ufffdreplacement",
    "½ ¾ ² ③ Ⅷ ㎏ ㍿ ｆｕｌｌ ｗｉｄｔｈ ％",
    "x = (a+b)*c^2 / {d}[e] <f> ~ `g` | h \\ i_j $5 €6 ¥7 §8 ©",
    "“quotes” ‘single’ — dash – en … dots ¿qué? ¡sí! «voilà»",
    "𝐦𝐚𝐭𝐡 𝒻𝓊𝓃 𐐀𐐁 𠀀𠮷 𓀀",
    "snake_case camelCase CONSTANT_CASE kebab-case 3rd 4x4 0x1F 1e-9",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b",
    "[MASK] in the <s>middle</s> [SEP]of[CLS] it <mask> here",
]

# With characters that the others have not.
TEXTS_UNSEEN = [
    "Ўзбекча ქართული ភាសាខ្មែរ",
    "☃ \U0001f996\U0001f996 ☃☃ a☃b \x02\x03",
    "zzqj  zzqj " * 20,
]
