-- Takes the lock (value, TTL in ms) and returns its token; 0 if it is taken.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
return 0
