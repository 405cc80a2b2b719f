package render

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
)

// qrCode returns a square picture of a code that holds text.
func qrCode(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("encode QR: %w", err)
	}
	const side = 320
	scaled, err := barcode.Scale(code, side, side)
	if err != nil {
		return nil, fmt.Errorf("scale QR: %w", err)
	}
	grey := image.NewGray(scaled.Bounds()) // the library's pictures have 16 bits, which PDF writers refuse
	draw.Draw(grey, grey.Bounds(), scaled, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, grey); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return b.Bytes(), nil
}
