#!/bin/sh
# build.sh builds Alertmanager. Its module lacks the pages of its web interface, which npm makes: a copy gets an empty one.
set -e
module=github.com/prometheus/alertmanager
mkdir -p bin
if [ ! -d bin/source ]; then
	go mod download $module
	cp -r "$(go list -m -f '{{.Dir}}' $module)" bin/copy
	chmod -R u+w bin/copy
	mkdir bin/copy/ui/app/dist
	echo >bin/copy/ui/app/dist/index.html
	mv bin/copy bin/source
fi
cp go.mod bin/build.mod
cp go.sum bin/build.sum
go mod edit -replace $module=./bin/source bin/build.mod
../prepare -modfile bin/build.mod $module/cmd/alertmanager
