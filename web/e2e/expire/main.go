// Command expire sets the deadline of one approval, in a database whose product is
// switched off: expire FILE APPROVAL MICROSECONDS.
//
// The browser tests use it: nothing in the product can move a deadline, and waiting
// for a real one takes days. It is no part of the product.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	if err := expire(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func expire(file, id, at string) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Exec("UPDATE approvals SET expires = CAST(? AS INTEGER) WHERE id = ?", at, id)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("there is no approval %s in %s (%d, %v)", id, file, n, err)
	}
	return nil
}
