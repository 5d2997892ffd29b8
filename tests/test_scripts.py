"""Scripts without spaces between words: what stands for a word, and that a net learns from it."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classinet import ClassiNetClassifier, TextNet
from classinet.exceptions import EmptyNetWarning
from classinet.text import TextVectorizer, Tokenizer
from classinet.text.characters import fold
from classinet.text.pieces import letters_of
from classinet.text.scripts import is_unspaced, split_unspaced, units_of

HAN = st.text("今天气下雨了我们去公园", min_size=1, max_size=12)
THAI = st.text("กขคงเแโะาิี่้ำ", min_size=1, max_size=12)
MIXED = st.text("a1-'_今天です東コーヒกิาเကိខ្ម한 ", max_size=15)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("今天天气真好！", ["今天", "天天", "天气", "气真", "真好"]),
        ("我的iPhone手机，2024年买的", ["我的", "iphone", "手机", "2024", "年买", "买的"]),
        ("東京タワーへ行きました", ["東京", "タワー", "へ", "行", "きました"]),
        ("ﾃﾚﾋﾞ", ["テレビ"]),  # of half width
        ("อากาศดีมาก", ["อากา", "กาศ", "ศดี", "ดีมา", "มาก"]),
        ("เมืองไทย", ["เมือ", "อง", "งไท", "ไทย"]),
        ("ផ្ទះ", ["ផ្ទះ"]),  # a letter, one below it, and a mark: one unit
        ("ផ្ទះស្អាត", ["ផ្ទះស្អា", "ស្អាត"]),
        ("ផ្ទះ\u200bស្អាត", ["ផ្ទះ", "ស្អាត"]),  # separated
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("오늘 날씨가 좋다", ["오늘", "날씨가", "좋다"]),
        ("#今天天气 @今天", ["#今天天气", "@今天"]),
        ("Größe в Москве हिन्दी", ["größe", "в", "москве", "हिन्दी"]),
    ],
)
def test_what_stands_for_a_word(text, tokens):
    assert Tokenizer()(text) == tokens


def test_texts_that_were_cut_before_stay_as_they_are():
    assert Tokenizer(unspaced="keep")("今天 天气预报 很 好") == ["今天", "天气预报", "很", "好"]
    assert Tokenizer(unspaced="keep")("今天天气，很好") == ["今天天气", "很好"]


@pytest.mark.parametrize(
    ("options", "text", "tokens"),
    [
        ({"hashtags": "word"}, "#今天天气", ["今天", "天天", "天气"]),
        ({"hashtags": "word", "unspaced": "keep"}, "#今天天气", ["今天天气"]),
        ({"numbers": "mask"}, "2024年", ["<num>", "年"]),
        ({"elongations": "shorten"}, "哈哈哈哈", ["哈哈"]),
        ({"mentions": "mask"}, "@今天 天气", ["@user", "天气"]),
    ],
)
def test_other_options_hold(options, text, tokens):
    assert Tokenizer(**options)(text) == tokens


@given(st.one_of(HAN, THAI))
def test_units_spell_the_run_and_pairs_overlap_by_one(run):
    units = units_of(run)
    assert "".join(units) == run
    pairs = [a + b for a, b in itertools.pairwise(units)] or units
    assert split_unspaced(run) == [pair for pair in pairs if pair[0].isalnum()]


@given(MIXED)
@example("a-今")
@example("今_天")
@example("ិខ")
def test_tokens_of_tokens_are_the_same_tokens(text):
    tokens = Tokenizer()(text)
    assert Tokenizer()(" ".join(tokens)) == tokens
    assert all(token[0].isalnum() for token in tokens)


@given(st.text(max_size=20).filter(lambda text: not is_unspaced(fold(text))))
@example("0Ｏ")  # of full width, and still an alphabet
def test_other_scripts_are_not_touched(text):
    assert Tokenizer()(text) == Tokenizer(unspaced="keep")(text)


@pytest.mark.parametrize(
    ("word", "runs"),
    [
        ("天气", ("…天…", "…气…")),
        ("雨", ()),
        ("날씨가", ("…날씨…", "…씨가…")),
        ("날씨", ("…날씨…",)),
        ("コーヒー", ("…コー…", "…ーヒ…", "…ヒー…")),
        ("กาศ", ("…กา…", "…ศ…")),
        ("дождь", ("дож…", "…дожд…", "…ождь…", "…ждь")),
    ],
)
def test_runs_of_other_alphabets(word, runs):
    assert letters_of(word) == runs


WORDS = {
    "weather": ["天气", "下雨", "台风", "气温", "多云", "雷电", "晴朗", "湿度"],
    "kitchen": ["面包", "烤箱", "黄油", "汤匙", "酱油", "蔬菜", "米饭", "锅盖"],
}


def test_a_net_of_unspaced_text_tells_what_shares_no_character():
    """Words of two topics, run together; each text to judge shares no character with the two labelled ones."""
    drawn = random.Random(0)
    texts = ["".join(drawn.sample(words, 3)) for words in WORDS.values() for _ in range(150)]
    net = TextNet().fit(texts)
    near = {edge.target for edge in net.neighbors("天气", top=5)}
    assert set("".join(near)) <= set("".join(WORDS["weather"]))
    clf = ClassiNetClassifier(net, class_names=False).fit(["下雨", "面包"], ["weather", "kitchen"])
    for topic, words in WORDS.items():
        asked = [word for word in words if not set(word) & set("下雨面包")]
        assert clf.predict(asked).tolist() == [topic] * len(asked)
    np.testing.assert_array_equal(clf.coverage(["台风"]), [1.0])
    with pytest.warns(EmptyNetWarning, match="words never meet"):  # where a clause is a word, none meets another
        TextNet(TextVectorizer(Tokenizer(unspaced="keep"), min_df=1)).fit(texts)
