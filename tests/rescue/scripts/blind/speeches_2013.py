#!/usr/bin/env python
import cPickle
from StringIO import StringIO
import urllib

speeches = [(u"Merkel", 12), (u"Gauck", 7), (u"Schulz", 30)]
buf = StringIO()
cPickle.dump(speeches, buf)
again = cPickle.loads(buf.getvalue())

longest = max(again, key=lambda (name, n): n)
print "longest: %s" % longest[0]
total = 0L
for i in xrange(len(again)):
    total += again[i][1]
print "total:", total
try:
    print again[5]
except IndexError, e:
    print "no such speech"
print urllib.quote("a b&c")
