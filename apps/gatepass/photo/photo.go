// Package photo decides whether a file may be kept as a photo and cleans it first.
//
// A file is judged by its content alone: JPEG, PNG and HEIC pass, everything else is
// refused, among it AVIF (which shares HEIC's container), truncated files, pictures
// whose declared size is out of proportion, and files that are two formats at once.
// What is kept has lost every trace of where and with which device it was taken: the
// cleaner drops metadata rather than look for the dangerous parts of it, and keeps
// only what is needed to show the picture the right way up. Nothing is decoded to
// pixels, so a hostile file costs no more than a walk over its bytes.
package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"dossier"
)

// A Format is a kind of picture that may be kept.
type Format string

// The formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	HEIC Format = "heic"
)

// MIME returns the media type of f.
func (f Format) MIME() string { return "image/" + string(f) }

// Limits on pictures.
const (
	DefaultMaxBytes = 5 << 20
	MaxSide         = 20_000
	MaxPixels       = 100_000_000
)

// The reasons to refuse a file, for errors.Is.
var (
	ErrFormat    = errors.New("not a photo format that is accepted")
	ErrSize      = errors.New("over the size limit")
	ErrTruncated = errors.New("the file is cut short or damaged")
	ErrBomb      = errors.New("declared dimensions out of proportion")
	ErrPolyglot  = errors.New("the file holds something besides a picture")
)

// A Photo is a picture that was checked and cleaned.
type Photo struct {
	Format        Format
	Width, Height int
	Data          []byte // without metadata; shares no memory with the input
	SHA256        string // of Data, in hex
}

// TooLarge is the error about a photo of n bytes that exceeds the limit.
func TooLarge(n int64, limit int) error {
	return refuse(ErrSize, "The photo has %s; the limit is %s. Take it again at a lower resolution.", size(int(n)), size(limit))
}

// Check judges data by its content and returns the photo to keep. The error says
// what is wrong and what to do, and wraps one of the reasons. maxBytes of 0 means
// DefaultMaxBytes.
func Check(data []byte, maxBytes int) (Photo, error) {
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	if len(data) > maxBytes {
		return Photo{}, TooLarge(int64(len(data)), maxBytes)
	}
	p, err := parse(data)
	if err != nil {
		return Photo{}, err
	}
	if p.Width <= 0 || p.Height <= 0 {
		return Photo{}, refuse(ErrTruncated, "The photo has no dimensions. Take it again.")
	}
	if p.Width > MaxSide || p.Height > MaxSide || p.Width*p.Height > MaxPixels {
		return Photo{}, refuse(ErrBomb, "The photo claims to be %d × %d pixels, which no camera at a gate makes. Take it again.",
			p.Width, p.Height)
	}
	sum := sha256.Sum256(p.Data)
	p.SHA256 = hex.EncodeToString(sum[:])
	return p, nil
}

func parse(data []byte) (Photo, error) {
	switch Sniff(data) {
	case JPEG:
		return cleanJPEG(data)
	case PNG:
		return cleanPNG(data)
	case HEIC:
		return cleanHEIC(data)
	}
	return Photo{}, refuse(ErrFormat, "The file is not a JPEG, PNG or HEIC photo (%s). Attach a photo in one of these formats.", describe(data))
}

// Sniff tells the format from the first bytes, or "" for anything else.
func Sniff(data []byte) Format {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(data, []byte(pngMagic)):
		return PNG
	case isHEIC(data):
		return HEIC
	}
	return ""
}

// describe names well-known formats that are not accepted, so that people see what
// they sent.
func describe(data []byte) string {
	switch {
	case len(data) == 0:
		return "it is empty"
	case bytes.HasPrefix(data, []byte("GIF8")):
		return "it is a GIF"
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) > 12 && string(data[8:12]) == "WEBP":
		return "it is a WebP"
	case bytes.HasPrefix(data, []byte("%PDF")):
		return "it is a PDF"
	case bytes.HasPrefix(data, []byte("BM")):
		return "it is a BMP"
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return "it is a TIFF"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "it is a ZIP archive"
	case len(data) > 12 && string(data[4:8]) == "ftyp" && bytes.HasPrefix(data[8:12], []byte("avi")):
		return "it is an AVIF"
	}
	return "its content is none of them"
}

// smuggled reports whether metadata holds the start of another format: a file that
// is two things at once is refused even though the metadata would be dropped.
func smuggled(b []byte) bool {
	for _, sig := range []string{"%PDF-", "PK\x03\x04", "PK\x05\x06", "<script", "<?php", "<html", "<svg", "Rar!\x1a\x07", "7z\xbc\xaf\x27\x1c", "\x7fELF"} {
		if bytes.Contains(b, []byte(sig)) {
			return true
		}
	}
	return false
}

func refuse(reason error, format string, args ...any) error {
	return dossier.Errorf(dossier.Invalid, format, args...).Because(reason)
}

func cutShort(format Format) error {
	return refuse(ErrTruncated, "The %s file is cut short or damaged. Take the photo again.", format.Name())
}

func twofold(format Format) error {
	return refuse(ErrPolyglot, "The %s file holds something besides a picture. Attach the photo as the camera made it.", format.Name())
}

// Name returns the name people know f by.
func (f Format) Name() string {
	return map[Format]string{JPEG: "JPEG", PNG: "PNG", HEIC: "HEIC"}[f]
}

func size(n int) string {
	if n >= 1<<20 {
		return trimmed(float64(n)/(1<<20)) + " MiB"
	}
	if n >= 1<<10 {
		return trimmed(float64(n)/(1<<10)) + " KiB"
	}
	return trimmed(float64(n)) + " bytes"
}
