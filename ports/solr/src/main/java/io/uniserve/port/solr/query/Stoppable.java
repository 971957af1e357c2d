package io.uniserve.port.solr.query;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Work of engines that knows no end of its own, and ends here when its query does: by {@link OperatorContext#checkActive}. For one
 * thread.
 */
public final class Stoppable {
    /** Characters that an expression reads between two looks at the query. */
    private static final int CHARS_PER_CHECK = 4_096;

    private final @Nullable OperatorContext context;
    private int read;

    private Stoppable(@Nullable OperatorContext context) {
        this.context = context;
    }

    /** Work for the operator of this context. */
    public static Stoppable of(OperatorContext context) {
        return new Stoppable(context);
    }

    /** The same with what an engine hangs on its request: the context under its class, or none, and nothing ends the work. */
    public static Stoppable in(Map<?, ?> attributes) {
        return new Stoppable((OperatorContext) attributes.get(OperatorContext.class));
    }

    /** Throws when the query has ended; false where it goes on. */
    public boolean ended() {
        if (context != null) {
            context.checkActive();
        }
        return false;
    }

    /**
     * Whether a whole text matches a regular expression of Java's; some try a text in more ways than there is time for.
     * INVALID_ARGUMENT where it cannot be compiled, or recurses too deeply.
     */
    public Predicate<String> matches(String regex) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            throw UniserveException.invalid("\"" + regex + "\" is no regular expression: " + e.getDescription());
        } catch (StackOverflowError e) {
            throw UniserveException.invalid("a regular expression of " + regex.length()
                    + " characters is nested too deeply; use fewer brackets in brackets");
        }
        return text -> {
            try {
                return pattern.matcher(new Text(text)).matches();
            } catch (StackOverflowError e) {
                throw UniserveException.invalid("regular expression \"" + regex + "\" recurses too deeply on a text of "
                        + text.length() + " characters; use possessive quantifiers, such as a*+");
            }
        };
    }

    /**
     * A predicate of an engine's values, and that their text matches the expression.
     *
     * @param regex null for any text
     * @param rest null for any value
     * @return null where neither is asked for
     */
    public <T> @Nullable Predicate<T> matching(
            @Nullable String regex, Function<T, String> text, @Nullable Predicate<T> rest) {
        if (regex == null) {
            return rest;
        }
        Predicate<String> matches = matches(regex);
        return value -> (rest == null || rest.test(value)) && matches.test(text.apply(value));
    }

    /** Bytes of an answer; to be written piece by piece, as each piece is a look at the query. */
    public ByteArrayOutputStream bytes() {
        return new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int from, int count) {
                boolean unused = ended();
                super.write(bytes, from, count);
            }
        };
    }

    /** A text that looks at the query while it is read. */
    private final class Text implements CharSequence {
        private final CharSequence text;

        private Text(CharSequence text) {
            this.text = text;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (++read % CHARS_PER_CHECK == 0) {
                boolean unused = ended();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Text(text.subSequence(start, end));
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
