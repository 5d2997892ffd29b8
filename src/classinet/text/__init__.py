"""Raw texts to counts: files are read, documents cut into sentences, sentences into tokens, and tokens counted."""

from classinet.text.files import TextFiles
from classinet.text.readers import Record, read_records
from classinet.text.sentences import split_sentences
from classinet.text.tokenizer import Tokenizer
from classinet.text.vectorizer import TextVectorizer

__all__ = ["Record", "TextFiles", "TextVectorizer", "Tokenizer", "read_records", "split_sentences"]
