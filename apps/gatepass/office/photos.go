package office

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/photo"
	"dossier/internal/db"
)

// A PhotoRecord is what the office knows of a stored photo.
type PhotoRecord struct {
	Op     pass.Op   `json:"operation"`
	SHA256 string    `json:"sha256"`
	MIME   string    `json:"mime"`
	Width  int       `json:"width"`
	Height int       `json:"height"`
	Size   int64     `json:"size"`
	At     time.Time `json:"at"`
	URL    string    `json:"url"`
}

// CheckPhoto judges an uploaded file and cleans it.
func (o *Office) CheckPhoto(data []byte) (photo.Photo, error) {
	p, err := photo.Check(data, o.MaxPhoto)
	if err == nil {
		return p, nil
	}
	return p, unfit(err)
}

// TooLarge is the problem of a request of n bytes, of which only the beginning was read.
func (o *Office) TooLarge(n int64) error {
	return unfit(photo.TooLarge(max(n, int64(o.MaxPhoto)+1), o.MaxPhoto))
}

// unfit makes a problem of what is wrong with a photo.
func unfit(err error) *Problem {
	status := http.StatusUnprocessableEntity
	if errors.Is(err, photo.ErrSize) {
		status = http.StatusRequestEntityTooLarge
	}
	out := problem(status, "", "%s", dossier.Message(err))
	out.Errors = []pass.FieldError{{Field: "photo", Rule: dossier.Message(err)}}
	out.cause = err
	return out
}

func blobKey(sha string) string { return "sha256/" + sha[:2] + "/" + sha }

// PutPhoto stores a photo under its digest. Storing it twice changes nothing.
func (o *Office) PutPhoto(ctx context.Context, p photo.Photo) error {
	if ok, err := o.Photos.Exists(ctx, blobKey(p.SHA256)); err == nil && ok {
		return nil
	}
	err := o.Photos.WriteAll(ctx, blobKey(p.SHA256), p.Data, &blob.WriterOptions{ContentType: p.Format.MIME()})
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The photo could not be stored. Try again in a moment.").Because(err)
	}
	return nil
}

// keepPhoto records the photo of a scan. Its bytes are stored before the transaction.
func (o *Office) keepPhoto(ctx context.Context, ord int64, m Move) error {
	_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_photos (ord, op, sha256, mime, width, height, size, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		ord, string(m.Op), m.Photo.SHA256, m.Photo.Format.MIME(), m.Photo.Width, m.Photo.Height, int64(len(m.Photo.Data)), micros(m.At))
	if err != nil {
		return fmt.Errorf("record photo: %w", err)
	}
	return nil
}

// PhotosOf lists the photos of a pass.
func (o *Office) PhotosOf(ctx context.Context, ref string) (pass.Pass, []PhotoRecord, error) {
	p, err := o.find(ctx, ref)
	if err != nil {
		return pass.Pass{}, nil, err
	}
	rows, err := o.DB.Query(ctx, `SELECT op, sha256, mime, width, height, size, at FROM gatepass_photos WHERE ord = $1 ORDER BY at`, p.ord)
	out, err := db.Collect(rows, err, func(r db.Row) (PhotoRecord, error) {
		var ph PhotoRecord
		var at int64
		err := r.Scan(&ph.Op, &ph.SHA256, &ph.MIME, &ph.Width, &ph.Height, &ph.Size, &at)
		ph.At = time.UnixMicro(at).UTC()
		ph.URL = o.URL + "/gate/photos/" + p.Number + "/" + string(ph.Op)
		return ph, err
	})
	if err != nil {
		return pass.Pass{}, nil, fmt.Errorf("list photos of %s: %w", p.Number, err)
	}
	return p.Pass, out, nil
}

// Photo returns the bytes of one photo of a pass.
func (o *Office) Photo(ctx context.Context, ref string, op pass.Op) (mime string, data []byte, err error) {
	_, all, err := o.PhotosOf(ctx, ref)
	if err != nil {
		return "", nil, err
	}
	for _, ph := range all {
		if ph.Op == op {
			data, err := o.read(ctx, ph.SHA256)
			return ph.MIME, data, err
		}
	}
	return "", nil, NotFound(string(op)+" photo of", ref)
}

func (o *Office) read(ctx context.Context, sha string) ([]byte, error) {
	data, err := o.Photos.ReadAll(ctx, blobKey(sha))
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, problem(http.StatusNotFound, sha, "The photo is no longer in the store.")
	}
	if err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The photo store did not answer. Try again in a moment.").Because(err)
	}
	return data, nil
}

// Attach keeps a photo that someone sends along with a message, and returns the
// reference to give to a scan.
func (o *Office) Attach(ctx context.Context, who dossier.Principal, name string, p photo.Photo) (string, error) {
	if err := o.PutPhoto(ctx, p); err != nil {
		return "", err
	}
	if len(pass.CheckText("name", name, pass.MaxName)) > 0 {
		name = "photo." + string(p.Format)
	}
	ref := o.NewID("att-")
	_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_attachments (ref, owner, name, mime, sha256, at) VALUES ($1, $2, $3, $4, $5, $6)`,
		ref, who.ID, name, p.Format.MIME(), p.SHA256, micros(o.Now()))
	if err != nil {
		return "", fmt.Errorf("keep attachment: %w", err)
	}
	return ref, nil
}

// Attached returns an attachment of who's.
func (o *Office) Attached(ctx context.Context, who dossier.Principal, ref string) (name, mime string, data []byte, err error) {
	if !isID(ref) {
		return "", "", nil, NotFound("attachment", ref)
	}
	var sha string
	err = o.DB.QueryRow(ctx, `SELECT name, mime, sha256 FROM gatepass_attachments WHERE ref = $1 AND owner = $2`, ref, who.ID).Scan(&name, &mime, &sha)
	if errors.Is(err, dossier.NotFound) {
		return "", "", nil, NotFound("attachment", ref)
	}
	if err != nil {
		return "", "", nil, fmt.Errorf("read attachment %s: %w", ref, err)
	}
	data, err = o.read(ctx, sha)
	return name, mime, data, err
}
