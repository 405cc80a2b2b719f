# The two commands of the README are demo and test; help lists the rest.
SHELL := /bin/bash
GO    ?= go
ADDR  ?= 127.0.0.1:8080
DATA  ?= .cache/demo
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X dossier/internal/cli.Version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: demo test build web lint generate bench soak fuzz shots eval-local help

demo: build ## build all, load demo data and serve it on 127.0.0.1:8080 (ADDR=… for another)
	bin/dossier demo --serve --data $(DATA) --addr $(ADDR)

test: ## everything: vet, lint, all tests on SQLite and PostgreSQL, the browser tests
	scripts/test.sh

build: web ## the console and bin/dossier
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/dossier ./cmd/dossier

web: ## the console alone; without Node a placeholder page takes its place
	scripts/web.sh

lint: ## formatting, vet, staticcheck, the house rules and a tidy go.mod
	scripts/lint.sh

generate: ## the OpenAPI document and the console's types
	$(GO) test ./internal/cli -run OpenAPI -update
	cd web && npm run --silent types

bench: ## speed and size, as a table
	scripts/bench.sh

soak: ## the kill harness and the fuzz targets for longer: SOAK=10m for each part
	scripts/soak.sh

shots: build ## screenshots of every page in both themes, into web/shots
	cd web && DOSSIER_BIN=$(CURDIR)/bin/dossier npm run --silent shots

eval-local: build ## run the suites against an OpenAI-compatible server: URL=http://… MODEL=…
	scripts/eval-local.sh

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
