CREATE TABLE poolpatrol_shifts (
	id       TEXT PRIMARY KEY,
	name     TEXT NOT NULL,
	zone     TEXT NOT NULL,
	schedule TEXT NOT NULL,
	cycle    INTEGER NOT NULL,
	anchor   INTEGER NOT NULL
);

CREATE TABLE poolpatrol_zips (
	zip TEXT PRIMARY KEY,
	lat DOUBLE PRECISION NOT NULL,
	lng DOUBLE PRECISION NOT NULL
);

CREATE TABLE poolpatrol_employees (
	id      TEXT PRIMARY KEY,
	name    TEXT NOT NULL,
	email   TEXT NOT NULL,
	address TEXT NOT NULL,
	zip     TEXT NOT NULL,
	located INTEGER NOT NULL,
	lat     DOUBLE PRECISION NOT NULL,
	lng     DOUBLE PRECISION NOT NULL,
	site    TEXT NOT NULL,
	shift   TEXT NOT NULL
);

CREATE TABLE poolpatrol_pto (
	employee TEXT NOT NULL,
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	PRIMARY KEY (employee, first)
);

CREATE TABLE poolpatrol_vanpools (
	id    TEXT PRIMARY KEY,
	name  TEXT NOT NULL,
	site  TEXT NOT NULL,
	lat   DOUBLE PRECISION NOT NULL,
	lng   DOUBLE PRECISION NOT NULL,
	place TEXT NOT NULL,
	seats INTEGER NOT NULL
);

CREATE TABLE poolpatrol_riders (
	vanpool  TEXT NOT NULL,
	employee TEXT NOT NULL,
	since    INTEGER NOT NULL,
	PRIMARY KEY (vanpool, employee)
);

CREATE INDEX poolpatrol_riders_employee ON poolpatrol_riders (employee);
