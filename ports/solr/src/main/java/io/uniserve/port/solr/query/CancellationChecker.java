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
 * Cancellation checks for engine code that has none: regular expressions, and writing an answer. It calls {@link
 * OperatorContext#checkActive}. Not thread-safe.
 */
public final class CancellationChecker {
    /** Number of characters that a regular expression reads between two checks. */
    private static final int CHARS_PER_CHECK = 4_096;

    private final @Nullable OperatorContext context;
    private int charsRead;

    private CancellationChecker(@Nullable OperatorContext context) {
        this.context = context;
    }

    /** Checks for the operator of this context. */
    public static CancellationChecker of(OperatorContext context) {
        return new CancellationChecker(context);
    }

    /** Checks for the context stored in the engine's request under its class; no checks if there is none. */
    public static CancellationChecker from(Map<?, ?> attributes) {
        return new CancellationChecker((OperatorContext) attributes.get(OperatorContext.class));
    }

    /** Throws if the query has ended; otherwise returns false. */
    public boolean checkEnded() {
        if (context != null) {
            context.checkActive();
        }
        return false;
    }

    /**
     * Compiles a Java regular expression into a predicate on whole texts that checks for cancellation, since some expressions backtrack
     * exponentially. INVALID_ARGUMENT if it does not compile or recurses too deeply.
     */
    public Predicate<String> regexPredicate(String regex) {
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
     * Combines a predicate with a regular expression on a text of the value.
     *
     * @param regex null to accept any text
     * @param rest null to accept any value
     * @return null if both are null
     */
    public <T> @Nullable Predicate<T> textPredicate(
            @Nullable String regex, Function<T, String> text, @Nullable Predicate<T> rest) {
        if (regex == null) {
            return rest;
        }
        Predicate<String> matches = regexPredicate(regex);
        return value -> (rest == null || rest.test(value)) && matches.test(text.apply(value));
    }

    /** Buffer for an answer, which checks for cancellation on each write. */
    public ByteArrayOutputStream outputStream() {
        return new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int from, int count) {
                boolean unused = checkEnded();
                super.write(bytes, from, count);
            }
        };
    }

    /** A text that checks the query for cancellation while it is read. */
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
            if (++charsRead % CHARS_PER_CHECK == 0) {
                boolean unused = checkEnded();
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
