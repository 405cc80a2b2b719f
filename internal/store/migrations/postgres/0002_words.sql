-- The words by which cases are found. part says where a word stands: in the case
-- itself, which changes, or in its facts, which only grow. Words compare by their
-- bytes, so that those with one beginning stand together.
CREATE TABLE words (
	word TEXT COLLATE "C" NOT NULL,
	case_id TEXT NOT NULL REFERENCES cases (id),
	part TEXT NOT NULL CHECK (part IN ('case', 'facts')),
	PRIMARY KEY (word, case_id, part)
);
CREATE INDEX words_case ON words (case_id, word);
