package io.uniserve.runtime.disk;

import io.uniserve.error.UniserveException;
import java.nio.file.Path;

/**
 * Mapping of the protocol's relative paths to files. Parts of a path have the characters {@code [a-z0-9-.]} and are not only dots.
 */
public final class DiskPathMapper {
    private static final int PATH_CHARS_MAX = 512;
    private static final int PART_CHARS_MAX = 200;

    private DiskPathMapper() {}

    /** Returns the file below the root. Fails with INVALID_ARGUMENT for an invalid path. */
    public static Path resolve(Path root, String path) {
        check(path);
        return root.resolve(path);
    }

    /** Rejects an invalid path with INVALID_ARGUMENT. */
    public static void check(String path) {
        boolean wrong = path.isEmpty() || path.length() > PATH_CHARS_MAX;
        int start = 0;
        while (!wrong && start <= path.length()) {
            int slash = path.indexOf('/', start);
            int end = slash < 0 ? path.length() : slash;
            wrong = !isValidPart(path, start, end);
            start = end + 1;
        }
        if (wrong) {
            throw UniserveException.invalid("path \"" + printable(path) + "\": use parts of a-z 0-9 - . joined by /");
        }
    }

    private static boolean isValidPart(String path, int start, int end) {
        boolean dots = true;
        for (int i = start; i < end; i++) {
            char c = path.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.')) {
                return false;
            }
            dots &= c == '.';
        }
        return !dots && end - start <= PART_CHARS_MAX;
    }

    private static String printable(String path) {
        String cut = path.length() > 80 ? path.substring(0, 80) + "..." : path;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
