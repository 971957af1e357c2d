package io.uniserve.runtime.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Check for duplicate keys in a HOCON file. The library merges them silently and the last one wins, which hides a mistake. This
 * parser reads only the outline (keys, braces, strings, comments), for keys and their lines; the library has checked the grammar
 * before. It ignores keys inside lists. Objects may occur twice.
 */
final class DuplicateKeyChecker {
    private final String text;
    private final Map<String, Integer> lines = new HashMap<>();
    private final List<Duplicate> duplicates = new ArrayList<>();
    private int position;
    private int line = 1;

    /** A key and its two lines. */
    record Duplicate(String key, int firstLine, int secondLine) {}

    private DuplicateKeyChecker(String text) {
        this.text = text;
    }

    static List<Duplicate> find(String text) {
        DuplicateKeyChecker reader = new DuplicateKeyChecker(text);
        reader.skipBlank();
        if (reader.peek() == '{') {
            reader.next();
        }
        reader.object("");
        return reader.duplicates;
    }

    private void object(String prefix) {
        while (position < text.length()) {
            skipBlank();
            char c = peek();
            if (c == '}' || position >= text.length()) {
                next();
                return;
            }
            field(prefix);
        }
    }

    private void field(String prefix) {
        int keyLine = line;
        String key = key();
        boolean append = peek() == '+';
        if (append) {
            next();
        }
        if (peek() == '=' || peek() == ':') {
            next();
        }
        skipSpace();
        String path = prefix.isEmpty() ? key : prefix + "." + key;
        if (peek() == '{') {
            next();
            object(path);
        } else if (key.equals("include") || key.startsWith("include ")) {
            value();
        } else {
            if (!append) {
                Integer first = lines.putIfAbsent(path, keyLine);
                if (first != null) {
                    duplicates.add(new Duplicate(path, first, keyLine));
                }
            }
            value();
        }
    }

    /** Reads a key's path up to its separator, without quotes. */
    private String key() {
        StringBuilder key = new StringBuilder();
        while (position < text.length()) {
            char c = peek();
            if (c == '"') {
                key.append(quoted());
            } else if (c == '=' || c == ':' || c == '{' || c == '\n' || c == '}' || c == '+' && follows("+=")) {
                break;
            } else {
                key.append(next());
            }
        }
        return key.toString().strip();
    }

    /** Skips a value up to the end of its line, a comma or the brace that closes its object. */
    private void value() {
        int depth = 0;
        while (position < text.length()) {
            char c = peek();
            if (c == '"') {
                String unused = quoted();
            } else if (c == '#' || follows("//")) {
                skipLine();
            } else if (c == '{' || c == '[') {
                depth++;
                next();
            } else if (depth == 0 && (c == '\n' || c == ',' || c == '}')) {
                return;
            } else {
                if (c == '}' || c == ']') {
                    depth--;
                }
                next();
            }
        }
    }

    private String quoted() {
        if (follows("\"\"\"")) {
            int end = text.indexOf("\"\"\"", position + 3);
            return skipTo(end < 0 ? text.length() : end + 3);
        }
        int end = position + 1;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\n') {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        String all = skipTo(Math.min(text.length(), end + 1));
        return all.length() < 2 ? all : all.substring(1, all.length() - 1);
    }

    private String skipTo(int end) {
        int start = position;
        while (position < end) {
            next();
        }
        return text.substring(start, end);
    }

    private void skipBlank() {
        while (position < text.length()) {
            char c = peek();
            if (c == '#' || follows("//")) {
                skipLine();
            } else if (Character.isWhitespace(c) || c == ',' || c == '\uFEFF') {
                next();
            } else {
                return;
            }
        }
    }

    private void skipSpace() {
        while (position < text.length() && (peek() == ' ' || peek() == '\t' || peek() == '\r')) {
            next();
        }
    }

    private void skipLine() {
        while (position < text.length() && peek() != '\n') {
            next();
        }
    }

    private boolean follows(String what) {
        return text.startsWith(what, position);
    }

    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private char next() {
        char c = peek();
        position++;
        if (c == '\n') {
            line++;
        }
        return c;
    }
}
