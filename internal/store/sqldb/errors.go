package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"dossier"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// translate gives a driver's error its kind and a sentence for people. Errors that
// already have a kind, and a cancelled context, pass unchanged.
func translate(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*dossier.Error](err); ok {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) {
		return dossier.Errorf(dossier.NotFound, "There is no such record.").Because(err)
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return fromSQLite(e.Code(), err)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fromPostgres(e.Code, err)
	}
	if gone(err) {
		return dossier.Errorf(dossier.Unavailable, "The database does not answer. Try again in a moment.").Because(err)
	}
	return err
}

func fromSQLite(code int, err error) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return dossier.Errorf(dossier.Conflict, "This already exists.").Because(err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return dossier.Errorf(dossier.Conflict, "Something this refers to does not exist.").Because(err)
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return dossier.Errorf(dossier.Unavailable, "The disk is full. Free some space and try again; nothing was saved.").Because(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return dossier.Errorf(dossier.Unavailable, "The database file cannot be written. Check its permissions and the disk.").Because(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return dossier.Errorf(dossier.Unavailable, "The database is busy with another process. Try again in a moment.").Because(err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return dossier.Errorf(dossier.Unavailable, "The database file cannot be read or written. Check the disk.").Because(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return dossier.Errorf(dossier.Unavailable, "The database file is damaged. Restore it from a backup.").Because(err)
	}
	return err
}

// fromPostgres goes by SQLSTATE, whose first two characters are the class.
func fromPostgres(code string, err error) error {
	switch code {
	case "23505":
		return dossier.Errorf(dossier.Conflict, "This already exists.").Because(err)
	case "23503":
		return dossier.Errorf(dossier.Conflict, "Something this refers to does not exist.").Because(err)
	case "40001", "40P01":
		return dossier.Errorf(dossier.Conflict, "Somebody else changed this at the same moment. Try again.").Because(err)
	case "22021", "22P05":
		return dossier.Errorf(dossier.Invalid, "The text holds a character that cannot be stored.").Because(err)
	case "25006":
		return dossier.Errorf(dossier.Unavailable, "The database cannot be written right now. It may be a standby.").Because(err)
	case "53100":
		return dossier.Errorf(dossier.Unavailable, "The database's disk is full. Free some space and try again; nothing was saved.").Because(err)
	case "28P01", "28000", "3D000":
		return dossier.Errorf(dossier.Unavailable, "The database refused the connection. Check its address, user and password.").Because(err)
	case "55P03":
		return dossier.Errorf(dossier.Unavailable, "The database is busy with this. Try again in a moment.").Because(err)
	}
	switch code[:min(2, len(code))] {
	case "08", "53", "57", "58":
		return dossier.Errorf(dossier.Unavailable, "The database does not answer. Try again in a moment.").Because(err)
	}
	return err
}

// gone reports whether err means that the connection is lost or was never made.
func gone(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgx.ErrTxClosed) ||
		errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.Timeout(err) || pgconn.SafeToRetry(err)
}
