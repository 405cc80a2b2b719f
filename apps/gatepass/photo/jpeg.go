package photo

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

func trimmed(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// cleanJPEG walks the segments of a JPEG and keeps those that carry the picture.
func cleanJPEG(data []byte) (Photo, error) {
	p := Photo{Format: JPEG}
	w := jpegWalk{in: data, at: 2}
	w.out.Grow(len(data))
	w.out.WriteString("\xff\xd8")
	for {
		marker, ok := w.marker()
		if !ok {
			return p, cutShort(JPEG)
		}
		if marker == 0xd9 {
			break
		}
		if err := w.segment(&p, marker); err != nil {
			return p, err
		}
	}
	w.out.WriteString("\xff\xd9")
	if w.frames != 1 || w.scans == 0 {
		return p, cutShort(JPEG)
	}
	if !onlyMorePictures(data[w.at:]) {
		return p, twofold(JPEG)
	}
	p.Data = w.oriented()
	return p, nil
}

type jpegWalk struct {
	in            []byte
	at            int
	out           bytes.Buffer
	frames, scans int
	orientation   byte // of the dropped Exif; 0 if it said nothing
}

// marker reads the next marker and leaves at behind it.
func (w *jpegWalk) marker() (byte, bool) {
	if w.at >= len(w.in) || w.in[w.at] != 0xff {
		return 0, false
	}
	for w.at < len(w.in) && w.in[w.at] == 0xff {
		w.at++
	}
	if w.at >= len(w.in) {
		return 0, false
	}
	w.at++
	return w.in[w.at-1], true
}

func (w *jpegWalk) segment(p *Photo, marker byte) error {
	if marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 || marker < 0xc0 {
		return cutShort(JPEG)
	}
	if w.at+2 > len(w.in) {
		return cutShort(JPEG)
	}
	n := int(binary.BigEndian.Uint16(w.in[w.at:]))
	if n < 2 || w.at+n > len(w.in) {
		return cutShort(JPEG)
	}
	whole, body := w.in[w.at:w.at+n], w.in[w.at+2:w.at+n]
	w.at += n
	keep := true
	switch {
	case marker == 0xda:
		w.scans++
		w.put(marker, whole)
		return w.scan()
	case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		if len(body) < 6 {
			return cutShort(JPEG)
		}
		w.frames++
		p.Height, p.Width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	case marker == 0xe1 || marker >= 0xe3 && marker <= 0xed || marker == 0xef || marker == 0xfe:
		keep = false
		if smuggled(body) {
			return twofold(JPEG)
		}
		if marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			w.orientation = orientationOf(body[6:])
		}
	case marker == 0xe0:
		keep = bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) == 14
	case marker == 0xe2:
		keep = bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")) && !smuggled(body)
	case marker == 0xee:
		keep = bytes.HasPrefix(body, []byte("Adobe")) && len(body) == 12
	}
	if keep {
		w.put(marker, whole)
	}
	return nil
}

func (w *jpegWalk) put(marker byte, whole []byte) {
	w.out.Write([]byte{0xff, marker})
	w.out.Write(whole)
}

// scan copies entropy-coded data up to the next marker that is neither a restart
// nor a stuffed byte.
func (w *jpegWalk) scan() error {
	start := w.at
	for w.at+1 < len(w.in) {
		i := bytes.IndexByte(w.in[w.at:len(w.in)-1], 0xff)
		if i < 0 {
			break
		}
		w.at += i
		next := w.in[w.at+1]
		if next == 0 || next >= 0xd0 && next <= 0xd7 {
			w.at += 2
			continue
		}
		if next == 0xff {
			w.at++
			continue
		}
		if w.at == start {
			return cutShort(JPEG)
		}
		w.out.Write(w.in[start:w.at])
		return nil
	}
	return cutShort(JPEG)
}

// oriented returns the cleaned file, with an Exif segment that holds the orientation
// and nothing else if the original had turned the picture.
func (w *jpegWalk) oriented() []byte {
	clean := w.out.Bytes()
	if w.orientation < 2 || w.orientation > 8 {
		return bytes.Clone(clean)
	}
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	exif[4+6+8+2+8+1] = w.orientation
	out := make([]byte, 0, len(clean)+len(exif))
	out = append(out, clean[:2]...)
	out = append(out, exif...)
	return append(out, clean[2:]...)
}

// orientationOf finds the orientation in a TIFF block, or returns 0.
func orientationOf(tiff []byte) byte {
	var order binary.ByteOrder = binary.BigEndian
	switch {
	case len(tiff) < 8:
		return 0
	case tiff[0] == 'I':
		order = binary.LittleEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 0
	}
	n := int(order.Uint16(tiff[at:]))
	for i := range n {
		e := at + 2 + 12*i
		if e+12 > len(tiff) {
			return 0
		}
		if order.Uint16(tiff[e:]) == 0x0112 && order.Uint16(tiff[e+2:]) == 3 {
			return byte(order.Uint16(tiff[e+8:]))
		}
	}
	return 0
}

// onlyMorePictures reports whether what follows the picture is padding or the
// further pictures that phones append (a preview, a gain map), which are dropped.
func onlyMorePictures(rest []byte) bool {
	rest = bytes.TrimLeft(rest, "\x00")
	if len(rest) == 0 {
		return true
	}
	return bytes.HasPrefix(rest, []byte("\xff\xd8\xff")) && bytes.HasSuffix(bytes.TrimRight(rest, "\x00"), []byte("\xff\xd9")) && !smuggled(rest)
}
