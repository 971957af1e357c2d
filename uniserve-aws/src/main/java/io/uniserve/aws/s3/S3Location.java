package io.uniserve.aws.s3;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Location of objects: {@code s3://BUCKET/PREFIX?OPTIONS}. Credentials are never part of it.
 *
 * <p>Example: {@code s3://backups/search?region=eu-central-1&kms-key=alias/backups}, or for another store
 * {@code s3://backups/search?endpoint=http://127.0.0.1:7070&path-style=true}.
 *
 * @param bucket name of the bucket
 * @param prefix start of all keys: empty, or parts of {@code [A-Za-z0-9._-]}, each with a slash behind it
 * @param region empty for that of the SDK's chain: environment, profile, instance
 * @param endpoint address of a store other than AWS
 * @param pathStyle true if the bucket stands in the path instead of the host name
 * @param kmsKey key of the key management service that encrypts new objects; empty for the bucket's default
 * @param partBytes larger objects are stored in parts of this size
 */
record S3Location(
        String bucket,
        String prefix,
        Optional<String> region,
        Optional<URI> endpoint,
        boolean pathStyle,
        Optional<String> kmsKey,
        long partBytes) {
    private static final String SCHEME = "s3://";
    /** Least size of a part that S3 permits. */
    private static final long PART_BYTES_MIN = 5L << 20;

    private static final long PART_BYTES_MAX = 1L << 30;
    private static final long PART_BYTES = 16L << 20;
    private static final int PREFIX_CHARS_MAX = 256;
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final Pattern PREFIX = Pattern.compile("([A-Za-z0-9._-]+/)*");

    /**
     * Parses a location.
     *
     * @throws UniserveException INVALID_CONFIGURATION with the wrong part and the permitted values
     */
    static S3Location parse(String location) {
        if (!location.startsWith(SCHEME)) {
            throw wrong(location, "it does not start with " + SCHEME);
        }
        int question = location.indexOf('?');
        String path = location.substring(SCHEME.length(), question < 0 ? location.length() : question);
        int slash = path.indexOf('/');
        String bucket = slash < 0 ? path : path.substring(0, slash);
        String prefix = slash < 0 ? "" : path.substring(slash + 1);
        if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            prefix += "/";
        }
        if (!BUCKET.matcher(bucket).matches()) {
            throw wrong(location, "\"" + bucket + "\" is no name of a bucket: 3 to 63 of a-z 0-9 . -");
        }
        if (!PREFIX.matcher(prefix).matches() || prefix.length() > PREFIX_CHARS_MAX || prefix.contains("..")) {
            throw wrong(
                    location,
                    "prefix \"" + prefix + "\": use at most " + PREFIX_CHARS_MAX
                            + " of A-Z a-z 0-9 . _ - and single slashes");
        }
        Map<String, String> options = options(location, question < 0 ? "" : location.substring(question + 1));
        Optional<String> region = Optional.ofNullable(options.remove("region"));
        Optional<URI> endpoint = Optional.ofNullable(options.remove("endpoint")).map(text -> endpoint(location, text));
        boolean pathStyle = isTrue(location, "path-style", options.remove("path-style"));
        Optional<String> kmsKey = Optional.ofNullable(options.remove("kms-key"));
        long partBytes = partBytes(location, options.remove("part-mib"));
        if (!options.isEmpty()) {
            throw wrong(
                    location,
                    "option " + options.keySet().iterator().next()
                            + " is unknown: use region, endpoint, path-style, kms-key, part-mib");
        }
        return new S3Location(bucket, prefix, region, endpoint, pathStyle, kmsKey, partBytes);
    }

    private static Map<String, String> options(String location, String query) {
        Map<String, String> options = new TreeMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String value = equals < 0 ? "" : decoded(location, pair.substring(equals + 1));
            if (equals <= 0 || value.isEmpty()) {
                throw wrong(location, "option \"" + pair + "\" has no value: write name=value");
            }
            if (options.put(pair.substring(0, equals), value) != null) {
                throw wrong(location, "option " + pair.substring(0, equals) + " is given twice");
            }
        }
        return options;
    }

    private static String decoded(String location, String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong(location, "an option has a % without two hexadecimal digits: write %25 for %");
        }
    }

    private static URI endpoint(String location, String text) {
        try {
            URI uri = new URI(text);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw wrong(
                    location, "endpoint is no address (" + e.getReason() + "): use http://HOST:PORT or https://HOST");
        }
        throw wrong(location, "endpoint is of another kind: use http://HOST:PORT or https://HOST, without a password");
    }

    private static boolean isTrue(String location, String name, @org.jspecify.annotations.Nullable String value) {
        if (value == null || value.equals("false")) {
            return false;
        }
        if (value.equals("true")) {
            return true;
        }
        throw wrong(location, name + " is " + value + ": use true or false");
    }

    private static long partBytes(String location, @org.jspecify.annotations.Nullable String value) {
        if (value == null) {
            return PART_BYTES;
        }
        long bytes = value.matches("[0-9]{1,6}") ? Long.parseLong(value) << 20 : 0;
        if (bytes < PART_BYTES_MIN || bytes > PART_BYTES_MAX) {
            throw wrong(location, "part-mib is " + value + ": use 5 to 1024");
        }
        return bytes;
    }

    private static UniserveException wrong(String location, String why) {
        int question = location.indexOf('?');
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "durable store " + (question < 0 ? location : location.substring(0, question)) + ": " + why);
    }

    /** Full key of an object. */
    String fullKey(String key) {
        return prefix + key;
    }

    /** The location without options, for logs and errors. */
    String describe() {
        return SCHEME + bucket + "/" + prefix
                + endpoint.map(uri -> " at " + uri).orElse("");
    }
}
