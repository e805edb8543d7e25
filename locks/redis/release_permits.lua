-- Gives permits back (name, how many) and answers how many there were.
local n = 0
for i = 1, ARGV[2] do
  n = n + redis.call('ZREM', KEYS[2], ARGV[1] .. '/' .. i)
end
if n > 0 then
  redis.call('INCRBY', KEYS[1], n)
  redis.call('PUBLISH', KEYS[3], '')
end
return n
