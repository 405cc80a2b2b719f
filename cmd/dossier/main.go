// Dossier runs agents whose decisions can be checked. See package cli for its
// commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"dossier/apps"
	"dossier/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	tty := cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	status := cli.Main(ctx, os.Args[1:], tty, apps.All())
	stop()
	os.Exit(status)
}
