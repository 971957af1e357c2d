package io.uniserve.api.operator;

import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Work of engines that knows no end of its own, and ends here when its query does: by {@link OperatorContext#checkActive}. */
public final class Stoppable {
    /** Characters that an expression reads between two looks at the query. */
    private static final int CHARS_PER_CHECK = 4_096;

    private Stoppable() {}

    /**
     * Whether a whole text matches a regular expression of Java's; some try a text in more ways than there is time for. For one
     * thread. INVALID_ARGUMENT where it cannot be compiled.
     */
    public static Predicate<String> matches(String regex, OperatorContext context) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(regex);
        } catch (PatternSyntaxException | StackOverflowError e) {
            String why = e instanceof PatternSyntaxException syntax ? syntax.getDescription() : "it is nested too deeply";
            throw UniserveException.invalid("\"" + regex + "\" is no regular expression: " + why);
        }
        int[] read = {0};
        return text -> {
            try {
                return pattern.matcher(new Text(text, context, read)).matches();
            } catch (StackOverflowError e) {
                throw UniserveException.invalid(
                        "regular expression \"" + regex + "\" recurses too deeply on a text of " + text.length()
                                + " characters; use possessive quantifiers, such as a*+");
            }
        };
    }

    /** Bytes of an answer; to be written piece by piece, as each piece is a look at the query. */
    public static ByteArrayOutputStream bytes(OperatorContext context) {
        return new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int from, int count) {
                context.checkActive();
                super.write(bytes, from, count);
            }
        };
    }

    /** A text that looks at the query while it is read. */
    private record Text(CharSequence text, OperatorContext context, int[] read) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (++read[0] % CHARS_PER_CHECK == 0) {
                context.checkActive();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Text(text.subSequence(start, end), context, read);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
