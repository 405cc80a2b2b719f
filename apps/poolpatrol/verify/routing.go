package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/engine"
)

// MetresPerMile are the metres in a mile: routing services answer in metres.
const MetresPerMile = 1609.344

// A Router measures ways by road. There are two: [OSRM] and [GoogleRoutes].
type Router interface {
	// miles returns the way from each point to the destination, 0 where there is none.
	miles(ctx context.Context, from []engine.Place, to engine.Place) ([]float64, error)
	name() string
}

// OSRM returns a router that asks a server with OSRM's table service.
func OSRM(client *http.Client, url string) Router {
	return osrm{client, strings.TrimRight(url, "/")}
}

// GoogleRoutes returns a router that asks Google Routes, at its own address if url is
// "".
func GoogleRoutes(client *http.Client, url, key string) Router {
	if url == "" {
		url = "https://routes.googleapis.com"
	}
	return googleRoutes{client, strings.TrimRight(url, "/"), key}
}

type osrm struct {
	http *http.Client
	url  string
}

func (o osrm) name() string { return "osrm" }

func (o osrm) miles(ctx context.Context, from []engine.Place, to engine.Place) ([]float64, error) {
	points := []string{fmt.Sprintf("%.6f,%.6f", to.Lng, to.Lat)}
	sources := make([]string, len(from))
	for i, f := range from {
		points = append(points, fmt.Sprintf("%.6f,%.6f", f.Lng, f.Lat))
		sources[i] = fmt.Sprint(i + 1)
	}
	url := fmt.Sprintf("%s/table/v1/driving/%s?destinations=0&sources=%s&annotations=distance", o.url, strings.Join(points, ";"), strings.Join(sources, ";"))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, noRoute(err)
	}
	var body struct {
		Code      string       `json:"code"`
		Distances [][]*float64 `json:"distances"`
	}
	if err := fetch(o.http, req, &body); err != nil {
		return nil, err
	}
	if body.Code != "Ok" || len(body.Distances) != len(from) {
		return nil, noRoute(fmt.Errorf("osrm: code %q, %d rows for %d homes", body.Code, len(body.Distances), len(from)))
	}
	out := make([]float64, len(from))
	for i, row := range body.Distances {
		if len(row) == 1 && row[0] != nil {
			out[i] = *row[0] / MetresPerMile
		}
	}
	return out, nil
}

type googleRoutes struct {
	http     *http.Client
	url, key string
}

func (g googleRoutes) name() string { return "google_routes" }

type googleWaypoint struct {
	Waypoint struct {
		Location struct {
			LatLng struct {
				Lat float64 `json:"latitude"`
				Lng float64 `json:"longitude"`
			} `json:"latLng"`
		} `json:"location"`
	} `json:"waypoint"`
}

func waypoint(p engine.Place) googleWaypoint {
	var w googleWaypoint
	w.Waypoint.Location.LatLng.Lat, w.Waypoint.Location.LatLng.Lng = p.Lat, p.Lng
	return w
}

func (g googleRoutes) miles(ctx context.Context, from []engine.Place, to engine.Place) ([]float64, error) {
	ask := struct {
		Origins      []googleWaypoint `json:"origins"`
		Destinations []googleWaypoint `json:"destinations"`
		TravelMode   string           `json:"travelMode"`
	}{nil, []googleWaypoint{waypoint(to)}, "DRIVE"}
	for _, f := range from {
		ask.Origins = append(ask.Origins, waypoint(f))
	}
	raw, err := json.Marshal(ask)
	if err != nil {
		return nil, noRoute(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/distanceMatrix/v2:computeRouteMatrix", bytes.NewReader(raw))
	if err != nil {
		return nil, noRoute(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Goog-Api-Key", g.key)
	req.Header.Set("X-Goog-FieldMask", "originIndex,distanceMeters,condition")
	var rows []struct {
		Origin    int     `json:"originIndex"`
		Metres    float64 `json:"distanceMeters"`
		Condition string  `json:"condition"`
	}
	if err := fetch(g.http, req, &rows); err != nil {
		return nil, err
	}
	out := make([]float64, len(from))
	for _, r := range rows {
		if r.Origin >= 0 && r.Origin < len(out) && r.Condition == "ROUTE_EXISTS" {
			out[r.Origin] = r.Metres / MetresPerMile
		}
	}
	return out, nil
}

func fetch(c *http.Client, req *http.Request, into any) error {
	resp, err := c.Do(req)
	if err != nil {
		return noRoute(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return noRoute(err)
	}
	if resp.StatusCode != http.StatusOK {
		return noRoute(fmt.Errorf("status %d", resp.StatusCode))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return noRoute(err)
	}
	return nil
}

func noRoute(err error) error {
	return dossier.Errorf(dossier.Unavailable, "The routing service did not answer; distances are estimated.").Because(err)
}
