#!/bin/sh
# node.sh is one Alertmanager. It gossips at 127.0.0.2, and the load receives its notifications at 127.0.0.3.
cat >"$DIR/alertmanager.yml" <<CONFIG
route: {receiver: load, group_by: [alertname], group_wait: 1s, group_interval: 5m, repeat_interval: 4h}
receivers: [{name: load, webhook_configs: [{url: "http://127.0.0.3:$PORT_1/", send_resolved: false}]}]
CONFIG
exec bin/alertmanager --config.file="$DIR/alertmanager.yml" --storage.path="$DIR/data" --log.level=debug \
	--web.listen-address="127.0.0.1:$PORT" --cluster.peer-timeout=5s \
	--cluster.listen-address="127.0.0.2:$PORT" --cluster.advertise-address="127.0.0.2:$PORT" \
	--cluster.peer="127.0.0.2:$PORT_1" --cluster.peer="127.0.0.2:$PORT_2" --cluster.peer="127.0.0.2:$PORT_3"
