package photo

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// heicBrands are the brands of HEVC-coded pictures. "mif1" alone says nothing about
// the codec: AVIF carries it too.
var heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"}

// isHEIC reports whether data opens with a file-type box of HEIC's.
func isHEIC(data []byte) bool {
	if len(data) < 16 || string(data[4:8]) != "ftyp" {
		return false
	}
	n := int(binary.BigEndian.Uint32(data))
	if n < 16 || n > len(data) || n%4 != 0 {
		return false
	}
	if bytes.HasPrefix(data[8:12], []byte("avi")) {
		return false
	}
	for at := 8; at+4 <= n; at += 4 {
		if at != 12 && slices.Contains(heicBrands, string(data[at:at+4])) {
			return true
		}
	}
	return false
}

// cleanHEIC walks the boxes of an HEIC file, finds its items, blanks those that hold
// metadata where they lie, so that no offset changes, and checks that every item
// lies inside the file.
func cleanHEIC(data []byte) (Photo, error) {
	p := Photo{Format: HEIC}
	out := bytes.Clone(data)
	var meta []byte
	var media [][2]int // where media data lies in out
	last := 0
	for at := 0; at < len(out); {
		b, ok := boxAt(out, at)
		if !ok {
			return p, cutShort(HEIC)
		}
		switch b.kind {
		case "meta":
			if meta != nil || len(b.body) < 4 {
				return p, cutShort(HEIC)
			}
			meta = b.body[4:]
		case "mdat":
			media = append(media, [2]int{at + b.size - len(b.body), at + b.size})
		case "ftyp":
		case "free", "skip", "uuid", "mpvd":
			if smuggled(b.body) {
				return p, twofold(HEIC)
			}
			clear(b.body)
			if b.kind == "uuid" || b.kind == "mpvd" {
				copy(out[at+4:], "free")
			}
		default:
			return p, twofold(HEIC)
		}
		at += b.size
		last = at
	}
	if meta == nil || last != len(out) {
		return p, cutShort(HEIC)
	}
	items, ok := itemsOf(meta)
	if !ok {
		return p, cutShort(HEIC)
	}
	if err := items.clean(out); err != nil {
		return p, err
	}
	if !items.blankGaps(out, media) {
		return p, twofold(HEIC)
	}
	p.Width, p.Height, p.Data = items.width, items.height, out
	return p, nil
}

type box struct {
	kind string
	body []byte
	size int // with the header
}

// boxAt reads the box that starts at at.
func boxAt(data []byte, at int) (box, bool) {
	if at+8 > len(data) {
		return box{}, false
	}
	size, head := uint64(binary.BigEndian.Uint32(data[at:])), 8
	switch size {
	case 0:
		size = uint64(len(data) - at)
	case 1:
		if at+16 > len(data) {
			return box{}, false
		}
		size, head = binary.BigEndian.Uint64(data[at+8:]), 16
	}
	if size < uint64(head) || size > uint64(len(data)-at) {
		return box{}, false
	}
	return box{string(data[at+4 : at+8]), data[at+head : at+int(size)], int(size)}, true
}

// boxesIn returns the boxes that fill data.
func boxesIn(data []byte) ([]box, bool) {
	var out []box
	for at := 0; at < len(data); {
		b, ok := boxAt(data, at)
		if !ok || len(out) > 4096 {
			return nil, false
		}
		out = append(out, b)
		at += b.size
	}
	return out, true
}

// items are the items of a HEIC file: their types and where their bytes lie.
type items struct {
	primary       uint32
	kinds         map[uint32]string
	places        map[uint32][]extent
	idat          []byte
	width, height int // the largest spatial extent that is declared
}

type extent struct {
	inIdat         bool
	offset, length uint64
}

func itemsOf(meta []byte) (items, bool) {
	it := items{kinds: map[uint32]string{}, places: map[uint32][]extent{}}
	boxes, ok := boxesIn(meta)
	if !ok {
		return it, false
	}
	for _, b := range boxes {
		good := true
		switch b.kind {
		case "pitm":
			it.primary, good = primaryOf(b.body)
		case "iinf":
			good = it.readInfo(b.body)
		case "iloc":
			good = it.readPlaces(b.body)
		case "idat":
			it.idat = b.body
		case "iprp":
			good = it.readExtents(b.body)
		}
		if !good {
			return it, false
		}
	}
	return it, true
}

func primaryOf(b []byte) (uint32, bool) {
	r := reader{b: b}
	if r.u8(); len(b) > 0 && b[0] > 0 {
		r.skip(3)
		return uint32(r.uint(4)), !r.short
	}
	r.skip(3)
	return uint32(r.uint(2)), !r.short
}

// readInfo reads the item types.
func (it *items) readInfo(b []byte) bool {
	r := reader{b: b}
	version := r.u8()
	r.skip(3)
	if version == 0 {
		r.skip(2)
	} else {
		r.skip(4)
	}
	if r.short {
		return false
	}
	entries, ok := boxesIn(b[r.at:])
	if !ok {
		return false
	}
	for _, e := range entries {
		r := reader{b: e.body}
		v := r.u8()
		r.skip(3)
		id := uint32(0)
		switch v {
		case 2:
			id = uint32(r.uint(2))
		case 3:
			id = uint32(r.uint(4))
		default:
			return false
		}
		r.skip(2)
		kind := string(r.bytes(4))
		if e.kind != "infe" || r.short {
			return false
		}
		it.kinds[id] = kind
	}
	return true
}

// maxExtents bounds what a hostile index can make the walk do: extents may take no
// bytes at all.
const maxExtents = 1 << 14

// readPlaces reads where the items' bytes lie.
func (it *items) readPlaces(b []byte) bool {
	r := reader{b: b}
	version := r.u8()
	r.skip(3)
	sizes, more := r.u8(), r.u8()
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>4), int(sizes&15), int(more>>4), int(more&15)
	if version == 0 {
		indexSize = 0
	}
	if version > 2 || offsetSize > 8 || lengthSize > 8 || baseSize > 8 || indexSize > 8 {
		return false
	}
	idSize := 2
	if version == 2 {
		idSize = 4
	}
	total := 0
	for range r.uint(idSize) {
		id := uint32(r.uint(idSize))
		method := uint64(0)
		if version > 0 {
			method = r.uint(2) & 15
		}
		r.skip(2)
		base := r.uint(baseSize)
		for range r.uint(2) {
			r.skip(indexSize)
			e := extent{method == 1, base + r.uint(offsetSize), r.uint(lengthSize)}
			if total++; r.short || total > maxExtents {
				return false
			}
			it.places[id] = append(it.places[id], e)
		}
		if r.short {
			return false
		}
	}
	return !r.short
}

// readExtents finds the largest picture the file declares.
func (it *items) readExtents(b []byte) bool {
	boxes, ok := boxesIn(b)
	if !ok {
		return false
	}
	for _, b := range boxes {
		if b.kind != "ipco" {
			continue
		}
		props, ok := boxesIn(b.body)
		if !ok {
			return false
		}
		for _, p := range props {
			if p.kind == "ispe" && len(p.body) >= 12 {
				w, h := int(binary.BigEndian.Uint32(p.body[4:])), int(binary.BigEndian.Uint32(p.body[8:]))
				if w*h > it.width*it.height {
					it.width, it.height = w, h
				}
			}
		}
	}
	return true
}

// clean checks that the main picture is HEVC and that every item lies inside the
// file, and blanks the items that hold metadata.
func (it *items) clean(file []byte) error {
	switch it.kinds[it.primary] {
	case "hvc1", "hev1", "grid", "iden", "iovl":
	case "av01":
		return refuse(ErrFormat, "The file is not a JPEG, PNG or HEIC photo (it is an AVIF). Attach a photo in one of these formats.")
	default:
		return cutShort(HEIC)
	}
	for id, kind := range it.kinds {
		if kind == "av01" {
			return refuse(ErrFormat, "The file is not a JPEG, PNG or HEIC photo (it holds AVIF). Attach a photo in one of these formats.")
		}
		for _, e := range it.places[id] {
			within := file
			if e.inIdat {
				within = it.idat
			}
			if e.offset > uint64(len(within)) || e.length > uint64(len(within))-e.offset {
				return cutShort(HEIC)
			}
			if e.length == 0 {
				return cutShort(HEIC)
			}
			b := within[e.offset : e.offset+e.length]
			switch kind {
			case "Exif", "mime", "uri ":
				if smuggled(b) {
					return twofold(HEIC)
				}
				clear(b)
			}
		}
	}
	if len(it.places[it.primary]) == 0 {
		return cutShort(HEIC)
	}
	return nil
}

// blankGaps clears media data that belongs to no item, and reports false if another
// format hides there.
func (it *items) blankGaps(file []byte, media [][2]int) bool {
	var used [][2]int
	for id := range it.kinds {
		for _, e := range it.places[id] {
			if !e.inIdat {
				used = append(used, [2]int{int(e.offset), int(e.offset + e.length)})
			}
		}
	}
	slices.SortFunc(used, func(a, b [2]int) int { return a[0] - b[0] })
	for _, m := range media {
		at := m[0]
		for _, u := range append(used, [2]int{m[1], m[1]}) {
			if gap := min(u[0], m[1]); gap > at {
				if smuggled(file[at:gap]) {
					return false
				}
				clear(file[at:gap])
			}
			at = max(at, min(u[1], m[1]))
		}
	}
	return true
}

// A reader reads big-endian numbers and remembers whether it ran out.
type reader struct {
	b     []byte
	at    int
	short bool
}

func (r *reader) bytes(n int) []byte {
	if r.short || n > len(r.b)-r.at {
		r.short = true
		return make([]byte, min(n, 8))
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) skip(n int) { r.bytes(n) }

func (r *reader) u8() byte { return r.bytes(1)[0] }

func (r *reader) uint(n int) uint64 {
	var v uint64
	for _, b := range r.bytes(n) {
		v = v<<8 | uint64(b)
	}
	return v
}
