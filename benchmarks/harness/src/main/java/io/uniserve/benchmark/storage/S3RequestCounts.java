package io.uniserve.benchmark.storage;

import java.util.Locale;

/**
 * Requests to a store with the interface of S3, by the kinds that are priced apart, and the bytes of their bodies.
 *
 * @param puts PUT and POST requests: whole objects, parts of uploads, and the start and end of uploads in parts
 * @param lists pages of listings
 * @param gets objects that were fetched
 * @param heads look-ups of one object's metadata
 * @param deletes deletions
 * @param failed requests that were answered with an injected failure; also counted by their kind
 * @param bytesIn bytes of the bodies of requests
 * @param bytesOut bytes of the bodies of answers
 */
record S3RequestCounts(
        long puts, long lists, long gets, long heads, long deletes, long failed, long bytesIn, long bytesOut) {
    private static final double MIB = 1 << 20;

    /** Kind of a request. */
    enum Kind {
        PUT,
        LIST,
        GET,
        HEAD,
        DELETE;

        /** Returns the kind of a request with this method and target, e.g. {@code /bucket/key?x-id=GetObject}. */
        static Kind of(String method, String target) {
            int question = target.indexOf('?');
            String query = question < 0 ? "" : "&" + target.substring(question + 1);
            return switch (method) {
                case "PUT", "POST" -> PUT;
                case "HEAD" -> HEAD;
                case "DELETE" -> DELETE;
                default -> query.contains("&list-type=") || query.contains("&uploads") ? LIST : GET;
            };
        }
    }

    /** Returns the requests since these counts. */
    S3RequestCounts minus(S3RequestCounts before) {
        return new S3RequestCounts(
                puts - before.puts,
                lists - before.lists,
                gets - before.gets,
                heads - before.heads,
                deletes - before.deletes,
                failed - before.failed,
                bytesIn - before.bytesIn,
                bytesOut - before.bytesOut);
    }

    /** Returns the number of requests of all kinds. */
    long total() {
        return puts + lists + gets + heads + deletes;
    }

    /** Returns the counts in words. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%d requests (%d PUT, %d LIST, %d GET, %d HEAD, %d DELETE), %.1f MiB in, %.1f MiB out",
                total(),
                puts,
                lists,
                gets,
                heads,
                deletes,
                bytesIn / MIB,
                bytesOut / MIB);
    }
}
