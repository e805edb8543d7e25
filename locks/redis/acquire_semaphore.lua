-- Takes permits (how many, how many there are in all) and answers 1, or 0 if too few are left.
redis.call('SET', KEYS[1], ARGV[2], 'NX')
if tonumber(redis.call('GET', KEYS[1])) >= tonumber(ARGV[1]) then
  redis.call('DECRBY', KEYS[1], ARGV[1])
  return 1
end
return 0
