-- Takes the lock (owner, TTL in ms; 0: none) and returns its token; 0 if it is taken.
local taken
if ARGV[2] == '0' then
  taken = redis.call('SET', KEYS[1], ARGV[1], 'NX')
else
  taken = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
end
if taken then
  return redis.call('INCR', KEYS[2])
end
return 0
