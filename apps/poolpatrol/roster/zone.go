package roster

import (
	"sync"
	"time"
)

// zones remembers loaded time zones: reading one costs more than a whole audit.
var zones sync.Map // name to *time.Location

func location(name string) (*time.Location, error) {
	if l, ok := zones.Load(name); ok {
		return l.(*time.Location), nil
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	zones.Store(name, l)
	return l, nil
}
