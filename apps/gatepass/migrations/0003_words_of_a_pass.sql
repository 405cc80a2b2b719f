CREATE INDEX gatepass_words_ord ON gatepass_words (ord, word);
