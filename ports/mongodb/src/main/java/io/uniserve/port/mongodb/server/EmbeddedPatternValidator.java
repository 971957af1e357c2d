package io.uniserve.port.mongodb.server;

import io.uniserve.error.UniserveException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.bson.BsonValue;

/**
 * Check of regular expressions for the embedded server, which cannot end one that backtracks for ever: MongoDB can. Refuses a repeated group
 * with repetitions or alternatives inside, references back, and many repetitions. Others may still take long on long texts. Stateless.
 */
public final class EmbeddedPatternValidator {
    private static final String REMEDY =
            "; use a simpler pattern, or set server.port-settings.mongodb.uri to a MongoDB server";

    private static final int REPETITIONS_MAX = 16;

    private EmbeddedPatternValidator() {}

    /** Checks all patterns in a part of a command. Fails with UNSUPPORTED. */
    public static void check(BsonValue value) {
        if (value.isRegularExpression()) {
            check(
                    value.asRegularExpression().getPattern(),
                    value.asRegularExpression().getOptions());
        } else if (value.isDocument()) {
            value.asDocument().forEach((name, field) -> {
                if (name.equals("$regex") && field.isString()) {
                    check(field.asString().getValue(), "");
                } else if (name.equals("$options")
                        && field.isString()
                        && field.asString().getValue().contains("x")) {
                    throw refused("has the option x");
                } else {
                    check(field);
                }
            });
        } else if (value.isArray()) {
            value.asArray().forEach(EmbeddedPatternValidator::check);
        }
    }

    private static UniserveException refused(String what) {
        return UniserveException.unsupported(
                "MongoDB: a pattern " + what + ", which the embedded server might not end" + REMEDY);
    }

    /** Checks one pattern. */
    static void check(String pattern, String options) {
        if (options.contains("x")) {
            throw refused("has the option x");
        }
        Deque<Boolean> outer = new ArrayDeque<>();
        int repetitions = 0;
        boolean branches = false; // whether the present group has a repetition or alternatives
        for (int i = 0; i < pattern.length(); i++) {
            switch (pattern.charAt(i)) {
                case '\\' -> i = escapeEnd(pattern, i);
                case '[' -> i = classEnd(pattern, i);
                case '|' -> branches = true;
                case '(' -> {
                    checkFlags(pattern, i);
                    outer.push(branches);
                    branches = false;
                }
                case ')' -> {
                    if (branches && isRepeated(pattern, i + 1)) {
                        throw refused("repeats a group with repetitions or alternatives inside");
                    }
                    branches |= !outer.isEmpty() && outer.pop();
                }
                case '*', '+', '{' -> {
                    branches = true;
                    repetitions++;
                }
                case '?' -> repetitions++;
                default -> {}
            }
            if (repetitions > REPETITIONS_MAX) {
                throw refused("has more than " + REPETITIONS_MAX + " repetitions");
            }
        }
    }

    /** Index of the last character of an escape. Fails for references back. */
    private static int escapeEnd(String pattern, int backslash) {
        if (backslash + 1 == pattern.length()) {
            return backslash; // the engine refuses it
        }
        char escaped = pattern.charAt(backslash + 1);
        if (escaped >= '1' && escaped <= '9' || escaped == 'k') {
            throw refused("refers back to a group");
        }
        if (escaped == 'Q') {
            int end = pattern.indexOf("\\E", backslash);
            return end < 0 ? pattern.length() - 1 : end + 1;
        }
        return backslash + 1;
    }

    /** Index of the bracket that ends a class of characters; classes may be within each other. */
    private static int classEnd(String pattern, int bracket) {
        int depth = 0;
        for (int i = bracket; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\\') {
                i = escapeEnd(pattern, i);
            } else if (c == '[') {
                depth++;
                boolean literal = pattern.startsWith("^]", i + 1) || pattern.startsWith("]", i + 1);
                i += literal ? pattern.startsWith("^", i + 1) ? 2 : 1 : 0;
            } else if (c == ']' && --depth == 0) {
                return i;
            }
        }
        return pattern.length() - 1;
    }

    /** Refuses the flag x, with which spaces and comments may stand before a repetition. */
    private static void checkFlags(String pattern, int parenthesis) {
        if (pattern.startsWith("(?", parenthesis)) {
            for (int i = parenthesis + 2; i < pattern.length() && Character.isLetter(pattern.charAt(i)); i++) {
                if (pattern.charAt(i) == 'x') {
                    throw refused("has the option x");
                }
            }
        }
    }

    private static boolean isRepeated(String pattern, int index) {
        return index < pattern.length() && "*+{".indexOf(pattern.charAt(index)) >= 0;
    }
}
