-- The 24-hour score of a district that was last looked at for a crossing. Other stored
-- scores say what someone asked for; only this one says what was followed up.
CREATE TABLE netra_standings (
	state    TEXT NOT NULL,
	district TEXT NOT NULL,
	score    INTEGER NOT NULL,
	PRIMARY KEY (state, district)
);

INSERT INTO netra_standings (state, district, score)
SELECT s.state, s.district, s.score FROM netra_scores s
WHERE s.hours = 24 AND s.at = (SELECT MAX(n.at) FROM netra_scores n WHERE n.state = s.state AND n.district = s.district AND n.hours = 24);
