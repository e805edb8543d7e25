-- Takes permits (name of the first, how many, capacity, now and end in ms by the client's clock) and answers 1, or
-- 0 if too few are left. Those that have ended by that clock are given back first.
redis.call('SET', KEYS[1], ARGV[3], 'NX')
local ended = redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
if ended > 0 then
  redis.call('INCRBY', KEYS[1], ended)
end
if tonumber(redis.call('GET', KEYS[1])) < tonumber(ARGV[2]) then
  return 0
end
redis.call('DECRBY', KEYS[1], ARGV[2])
for i = 1, ARGV[2] do
  redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1] .. '/' .. i)
end
return 1
