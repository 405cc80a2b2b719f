package photo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// kept are the chunks a picture needs to look as it did. Text, times, Exif and
// whatever private chunks a program added are dropped.
var kept = []string{"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "pHYs"}

// cleanPNG walks the chunks of a PNG, checks their sums and that the compressed
// data holds exactly the pixels the header promises, and keeps the picture.
func cleanPNG(data []byte) (Photo, error) {
	p := Photo{Format: PNG}
	var out bytes.Buffer
	out.Grow(len(data))
	out.WriteString(pngMagic)
	var head pngHeader
	var idat [][]byte
	rest, ended := data[len(pngMagic):], false
	for !ended {
		if len(rest) < 12 {
			return p, cutShort(PNG)
		}
		n := binary.BigEndian.Uint32(rest)
		if n > 1<<31-1 || int(n) > len(rest)-12 {
			return p, cutShort(PNG)
		}
		kind, body, chunk := string(rest[4:8]), rest[8:8+n], rest[:12+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			return p, cutShort(PNG)
		}
		rest = rest[12+n:]
		if (kind == "IHDR") != (head.width == 0) {
			return p, cutShort(PNG)
		}
		switch {
		case kind == "IHDR":
			var ok bool
			if head, ok = parseHeader(body); !ok {
				return p, cutShort(PNG)
			}
			p.Width, p.Height = head.width, head.height
			if p.Width > MaxSide || p.Height > MaxSide || p.Width*p.Height > MaxPixels {
				return p, nil
			}
		case kind == "IDAT":
			idat = append(idat, body)
		case kind == "IEND":
			ended = true
		case kind[0] >= 'A' && kind[0] <= 'Z' && kind != "PLTE":
			return p, twofold(PNG)
		case !slices.Contains(kept, kind) && smuggled(body):
			return p, twofold(PNG)
		}
		if slices.Contains(kept, kind) {
			out.Write(chunk)
		}
	}
	if !onlyPadding(rest) {
		return p, twofold(PNG)
	}
	if err := head.fill(idat); err != nil {
		return p, err
	}
	p.Data = bytes.Clone(out.Bytes())
	return p, nil
}

func onlyPadding(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

type pngHeader struct {
	width, height int
	bits          int // per pixel
	interlaced    bool
}

func parseHeader(b []byte) (pngHeader, bool) {
	if len(b) != 13 {
		return pngHeader{}, false
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	channels, ok := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[b[9]]
	depth := int(b[8])
	if !ok || !slices.Contains([]int{1, 2, 4, 8, 16}, depth) || w == 0 || h == 0 || w > 1<<30 || h > 1<<30 || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return pngHeader{}, false
	}
	return pngHeader{int(w), int(h), channels * depth, b[12] == 1}, true
}

// pixels returns how many bytes the decompressed picture has.
func (h pngHeader) pixels() int64 {
	rows := func(w, n int) int64 {
		if w == 0 || n == 0 {
			return 0
		}
		return int64(n) * (1 + (int64(w)*int64(h.bits)+7)/8)
	}
	if !h.interlaced {
		return rows(h.width, h.height)
	}
	var sum int64
	for _, pass := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		w := (h.width - pass[0] + pass[2] - 1) / pass[2]
		n := (h.height - pass[1] + pass[3] - 1) / pass[3]
		sum += rows(w, n)
	}
	return sum
}

// fill checks that the compressed data holds as many bytes as the header promises:
// fewer is a truncated file, more is a bomb. The bytes themselves are thrown away.
func (h pngHeader) fill(idat [][]byte) error {
	parts := make([]io.Reader, len(idat))
	for i, b := range idat {
		parts[i] = bytes.NewReader(b)
	}
	in := io.MultiReader(parts...)
	z, err := zlib.NewReader(in)
	if err != nil {
		return cutShort(PNG)
	}
	want := h.pixels()
	got, err := io.Copy(io.Discard, io.LimitReader(z, want+1))
	switch {
	case got > want:
		return refuse(ErrBomb, "The PNG file unpacks to more than the picture it promises. Take the photo again.")
	case err != nil || got < want:
		return cutShort(PNG)
	}
	if n, _ := io.Copy(io.Discard, in); n > 64 {
		return twofold(PNG)
	}
	return nil
}
