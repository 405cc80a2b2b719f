// Package lake reads and writes the data lake: a bucket of objects on disk (file://)
// or in an object store (s3://), through one interface.
//
// [Lake.Latest] finds the newest object under a prefix and reads it, trying again with
// growing pauses when the store does not answer. The last object that turned out to be
// good is remembered on disk and handed out, marked as such, when the store stays
// silent. Credentials are never passed here: the store's own chain (roles, environment)
// finds them. Every write to s3:// asks the store to encrypt at rest.
package lake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/s3blob"   // s3://

	"dossier"
)

// maxObject bounds what is read into memory; a real day is a hundredth of it.
const maxObject = 256 << 20

// A Lake reads and writes one bucket.
type Lake struct {
	URL     string        // "file:///var/lib/airshed/lake", "s3://name?region=ap-south-1"
	Retries int           // after the first call
	Base    time.Duration // the first pause; each one after it is twice as long
	Dir     string        // where the last good object is kept
	Sleep   func(context.Context, time.Duration) error
	Log     *slog.Logger

	// Open opens the bucket. Nil means by its URL; tests and other stores set it.
	Open func(ctx context.Context, url string) (*blob.Bucket, error)
}

// An Object is one object of the lake.
type Object struct {
	Bucket    string    `json:"bucket"` // its URL without credentials or options
	Key       string    `json:"key"`
	Modified  time.Time `json:"modified"`
	SHA256    string    `json:"sha256"`
	FromCache bool      `json:"from_cache"` // the lake did not answer; this is the last good read
	Failure   string    `json:"failure,omitempty"`
	Data      []byte    `json:"-"`
}

// Locator says where the object can be seen again.
func (o Object) Locator() string { return strings.TrimSuffix(o.Bucket, "/") + "/" + o.Key }

// ErrRead is the cause of the error after every attempt failed.
var ErrRead = errors.New("S3 read failed")

// Latest returns the newest object under prefix.
func (l *Lake) Latest(ctx context.Context, prefix string) (Object, error) {
	if err := CheckKey(strings.TrimSuffix(prefix, "/")); prefix != "" && err != nil {
		return Object{}, err
	}
	var obj Object
	err := l.Try(ctx, "read", l.Retries, func() error {
		var err error
		obj, err = l.latest(ctx, prefix)
		return err
	})
	if err == nil {
		return obj, nil
	}
	if errors.Is(err, dossier.NotFound) || errors.Is(err, dossier.Invalid) || ctx.Err() != nil {
		return Object{}, err
	}
	if old, ok := l.remembered(prefix); ok {
		l.Log.WarnContext(ctx, "lake unreadable, using the last good object", "bucket", l.Place(), "prefix", prefix, "key", old.Key, "error", err)
		old.FromCache, old.Failure = true, err.Error()
		return old, nil
	}
	l.Log.ErrorContext(ctx, "lake unreadable", "bucket", l.Place(), "prefix", prefix, "error", err)
	return Object{}, dossier.Errorf(dossier.Unavailable, "S3 read failed: %s could not be read after %d attempts.", l.Place(), l.Retries+1).Because(errors.Join(ErrRead, err))
}

// Try calls f until it succeeds, retries times more at most, with pauses of Base,
// twice Base and so on. What asking again cannot mend is not asked again.
func (l *Lake) Try(ctx context.Context, what string, retries int, f func() error) error {
	pause := l.Base
	for attempt := 0; ; attempt++ {
		err := f()
		if err == nil {
			return nil
		}
		if k := dossier.KindOf(err); k == dossier.NotFound || k == dossier.Invalid || k == dossier.Conflict {
			return err
		}
		l.Log.WarnContext(ctx, "lake "+what+" failed", "bucket", l.Place(), "attempt", attempt+1, "of", retries+1, "error", err)
		if attempt == retries {
			return err
		}
		if err := l.Sleep(ctx, pause); err != nil {
			return fmt.Errorf("wait before asking the lake again: %w", err)
		}
		pause *= 2
	}
}

func (l *Lake) latest(ctx context.Context, prefix string) (Object, error) {
	b, err := l.open(ctx)
	if err != nil {
		return Object{}, err
	}
	defer b.Close()
	newest, err := newestUnder(ctx, b, prefix)
	if err != nil {
		return Object{}, err
	}
	if newest.Size > maxObject {
		return Object{}, dossier.Errorf(dossier.Invalid, "%s holds %d MB; at most %d MB are read.", newest.Key, newest.Size>>20, maxObject>>20)
	}
	data, err := b.ReadAll(ctx, newest.Key)
	if err != nil {
		return Object{}, fmt.Errorf("read %s: %w", newest.Key, err)
	}
	sum := sha256.Sum256(data)
	return Object{Bucket: l.Place(), Key: newest.Key, Modified: newest.ModTime.UTC(), SHA256: hex.EncodeToString(sum[:]), Data: data}, nil
}

// newestUnder lists the objects under prefix and picks the one modified last.
func newestUnder(ctx context.Context, b *blob.Bucket, prefix string) (*blob.ListObject, error) {
	var newest *blob.ListObject
	it := b.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, err)
		}
		if o.IsDir || o.Size == 0 || strings.HasSuffix(o.Key, "/") {
			continue
		}
		if newest == nil || cmp.Or(o.ModTime.Compare(newest.ModTime), cmp.Compare(o.Key, newest.Key)) > 0 {
			newest = o
		}
	}
	if newest == nil {
		return nil, dossier.Errorf(dossier.NotFound, "The lake holds nothing under %q. Run the ingest first.", prefix)
	}
	return newest, nil
}

// Put writes an object and returns its address.
func (l *Lake) Put(ctx context.Context, key, contentType string, data []byte) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	b, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	defer b.Close()
	if err := b.WriteAll(ctx, key, data, &blob.WriterOptions{ContentType: contentType}); err != nil {
		return "", fmt.Errorf("write %s: %w", key, err)
	}
	return strings.TrimSuffix(l.Place(), "/") + "/" + key, nil
}

// Get reads one object.
func (l *Lake) Get(ctx context.Context, key string) ([]byte, error) {
	b, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.ReadAll(ctx, key)
}

func (l *Lake) open(ctx context.Context) (*blob.Bucket, error) {
	open := l.Open
	if open == nil {
		open = blob.OpenBucket
	}
	u, err := withEncryption(l.URL)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", l.Place(), err)
	}
	return b, nil
}

// CheckURL refuses what is no address of a bucket, or carries credentials.
func CheckURL(address string) error {
	_, err := withEncryption(address)
	return err
}

// withEncryption adds to an S3 address that writes be encrypted with the store's own
// keys (SSE-S3), unless it names a way itself. It refuses credentials in the address.
func withEncryption(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" && u.Scheme != "s3" && u.Scheme != "mem" {
		return "", dossier.Errorf(dossier.Invalid, "%q is no address of a bucket. Write it as file:///folder or s3://name?region=ap-south-1.", address).Because(err)
	}
	if u.User != nil {
		return "", dossier.Errorf(dossier.Invalid, "The bucket's address must not carry credentials. Give the machine a role, or set the store's own environment variables.")
	}
	if u.Scheme != "s3" {
		return address, nil
	}
	q := u.Query()
	if q.Get("ssetype") == "" {
		q.Set("ssetype", "AES256")
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Place returns the bucket's address without options.
func (l *Lake) Place() string {
	place, _, _ := strings.Cut(l.URL, "?")
	return place
}

// Name returns the bucket's own name: what a caller that knows no addresses calls it.
func (l *Lake) Name() string {
	_, rest, _ := strings.Cut(l.Place(), "://")
	return filepath.Base(strings.TrimSuffix(rest, "/"))
}

// CheckKey refuses keys that could lead out of the bucket.
func CheckKey(key string) error {
	for _, part := range strings.Split(key, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return dossier.Errorf(dossier.Invalid, "%q is not a key of the lake: it must be a relative path without \"..\".", key)
		}
	}
	return nil
}

// Remember keeps o as the last good object under prefix. Call it when the content
// turned out to be usable.
func (l *Lake) Remember(prefix string, o Object) error {
	if o.FromCache || l.Dir == "" {
		return nil
	}
	meta, err := json.Marshal(struct {
		Object
		Data []byte `json:"data"`
	}{o, o.Data})
	if err != nil {
		return fmt.Errorf("encode last good object: %w", err)
	}
	return WriteFile(l.cachePath(prefix), meta)
}

func (l *Lake) remembered(prefix string) (Object, bool) {
	if l.Dir == "" {
		return Object{}, false
	}
	raw, err := os.ReadFile(l.cachePath(prefix))
	if err != nil {
		return Object{}, false
	}
	var kept struct {
		Object
		Data []byte `json:"data"`
	}
	if json.Unmarshal(raw, &kept) != nil {
		return Object{}, false
	}
	kept.Object.Data = kept.Data
	return kept.Object, true
}

func (l *Lake) cachePath(prefix string) string {
	sum := sha256.Sum256([]byte(l.Place() + "\n" + prefix))
	return filepath.Join(l.Dir, "lastgood-"+hex.EncodeToString(sum[:8])+".json")
}

// WriteFile writes a file so that a reader sees either the old content or the new.
func WriteFile(name string, data []byte) error {
	if err := writeFile(name, data); err != nil {
		return dossier.Errorf(dossier.Unavailable, "%s cannot be written. Choose a folder that is there and that you may write to.", name).Because(err)
	}
	return nil
}

func writeFile(name string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".writing-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when the rename worked
	_, err = tmp.Write(data)
	if err = cmp.Or(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
