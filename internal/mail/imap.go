package mail

import (
	"bytes"
	"context"
	"net"
	"strconv"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"dossier"
)

// A Mailbox is where mail comes in.
type Mailbox struct {
	Host     string
	Port     int
	User     string
	Password string
	Folder   string
	TLS      string // "implicit" (also ""), "starttls" or "none"
}

// maxFetch bounds how many mails one Fetch takes, so that a full mailbox does not hold
// up everything else.
const maxFetch = 100

// Fetch hands every unseen mail of the folder to take, oldest first, and marks those
// it took as seen. It stops at the first error of take; a mail that cannot be read at
// all is marked and passed over.
func (b Mailbox) Fetch(ctx context.Context, take func(Inbound) error) error {
	c, err := b.dial()
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = c.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if err := c.Login(b.User, b.Password).Wait(); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The mailbox refused the login.").Because(err)
	}
	if _, err := c.Select(b.Folder, nil).Wait(); err != nil {
		return unreachable(err)
	}
	found, err := c.UIDSearch(&imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagSeen}}, nil).Wait()
	if err != nil {
		return unreachable(err)
	}
	uids := found.AllUIDs()
	for _, uid := range uids[:min(len(uids), maxFetch)] {
		if err := fetchOne(c, uid, take); err != nil {
			return err
		}
	}
	return c.Logout().Wait()
}

func fetchOne(c *imapclient.Client, uid imap.UID, take func(Inbound) error) error {
	set := imap.UIDSetNum(uid)
	section := &imap.FetchItemBodySection{Peek: true}
	got, err := c.Fetch(set, &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return unreachable(err)
	}
	for _, m := range got {
		in, err := Parse(bytes.NewReader(m.FindBodySection(section)))
		if err != nil {
			continue
		}
		if err := take(in); err != nil {
			return err
		}
	}
	seen := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen}, Silent: true}
	if err := c.Store(set, seen, nil).Close(); err != nil {
		return unreachable(err)
	}
	return nil
}

func (b Mailbox) dial() (*imapclient.Client, error) {
	addr := net.JoinHostPort(b.Host, strconv.Itoa(b.Port))
	switch b.TLS {
	case "none":
		return imapclient.DialInsecure(addr, nil)
	case "starttls":
		return imapclient.DialStartTLS(addr, nil)
	default:
		return imapclient.DialTLS(addr, nil)
	}
}

func unreachable(err error) error {
	return dossier.Errorf(dossier.Unavailable, "The mailbox cannot be reached; it is tried again.").Because(err)
}
