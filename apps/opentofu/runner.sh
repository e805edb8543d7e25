#!/bin/sh
# runner.sh DIRECTORY applies step after step, as a pipeline of its own would. All runners share one state, in S3 at the address
# S3 or in the database DATABASE_URL.
set -e
home=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$home/main.tf" .
if [ -n "$S3" ]; then
	cat >backend.tf <<END
terraform {
  backend "s3" {
    bucket       = "torture"
    key          = "service.tfstate"
    region       = "us-east-1"
    access_key   = "torture"
    secret_key   = "torture-secret"
    endpoints    = { s3 = "http://$S3" }
    use_lockfile = true

    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    skip_metadata_api_check     = true
  }
}
END
else
	cat >backend.tf <<END
terraform {
  backend "pg" { conn_str = "$DATABASE_URL" }
}
END
fi
until "$home/bin/tofu" init -input=false -no-color; do sleep 1; done
echo started
n=0
while :; do
	n=$((n + 1))
	"$home/bin/tofu" apply -auto-approve -input=false -no-color -lock-timeout=5s -var "step=$REPLICA-$$-$n" || sleep 1
done
