package process

import (
	"context"
	"debug/elf"
	"os"
	"path"
	"regexp"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// versitygwServer runs versitygw, and gofakes3Server runs gofakes3.
type (
	versitygwServer struct{ server.VersityGW }
	gofakes3Server  struct{ server.GoFakeS3 }
)

var (
	_ teller = versitygwServer{}
	_ teller = gofakes3Server{}
)

func (versitygwServer) find(look lookup) (string, error) { return look.program("versitygw") }
func (gofakes3Server) find(look lookup) (string, error)  { return look.program("gofakes3") }

func (v versitygwServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return v.Args(s, data), os.MkdirAll(v.Objects(data), 0o755)
}

func (g gofakes3Server) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return g.Args(s, data), nil
}

func (versitygwServer) version(program string) string {
	return "versitygw " + built(program, "github.com/versity/versitygw")
}

func (gofakes3Server) version(program string) string {
	return "gofakes3 " + built(program, "github.com/johannesboyne/gofakes3")
}

// built returns the version of a module in a program written in Go.
func built(program, module string) string {
	const unknown = "(of unknown version)"
	file, err := elf.Open(program)
	if err != nil {
		return unknown
	}
	defer file.Close()
	section := file.Section(".go.buildinfo")
	if section == nil {
		return unknown
	}
	modules, err := section.Data()
	line := regexp.MustCompile(`\n(mod|dep)\t` + regexp.QuoteMeta(module) + `\t(\S+)`).FindSubmatch(modules)
	if err != nil || line == nil {
		return unknown
	}
	return path.Base(string(line[2]))
}
