package io.uniserve.lucene;

import java.io.IOException;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.IllformedLocaleException;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.util.automaton.TooComplexToDeterminizeException;
import org.jspecify.annotations.Nullable;

/** Classification of exceptions of Lucene and of engines based on it: faults of queries, and their reasons in plain words. */
public final class QueryErrorClassifier {
    private static final int TEXT_CHARS_MAX = 60;
    private static final Pattern CLASSES =
            Pattern.compile("^\\s*(?:(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error): +)+");
    private static final Pattern REQUEST = Pattern.compile("(?s) in \\w*QueryRequest\\{.*");
    private static final Pattern CANNOT_PARSE = Pattern.compile("(?s)Cannot parse '(.*)': (.*)");
    private static final Pattern ENCOUNTERED =
            Pattern.compile("(?s)Encountered \"(.*?)\" at line (\\d+), column (\\d+)\\.(?:\\s*Was expecting.*)?");
    private static final Pattern TOKEN = Pattern.compile("(?s)\\s*<\\w+> \"(.*?) ?\"?\\s*");
    private static final Pattern LEXICAL = Pattern.compile(
            "(?s)Lexical error at line (\\d+), column (\\d+)\\.\\s*Encountered: (.*?)(?: \\(in lexical state \\d+\\))?\\s*");
    private static final Pattern CLAUSES = Pattern.compile(
            "(?s).*[Cc]lauses?.*?(?:encountered=(\\d+).*)?(?:maxBooleanClauses=|maxClauseCount is set to )(\\d+).*");
    private static final Pattern COMPLEX =
            Pattern.compile("(?s)Determinizing (.*) would require more than \\d+ effort\\.?");
    private static final Pattern NOTHING =
            Pattern.compile("(?s)(?:Cannot \\w+ .* because .*is null|.* must not be null)");
    private static final Pattern NUMBER = Pattern.compile("(?s)For input string: \"(.*)\"(?: under radix \\d+)?");

    private QueryErrorClassifier() {}

    /** True if only a query can cause the failure, at every place. */
    public static boolean isOne(Throwable failure) {
        return failure instanceof IllegalArgumentException
                || failure instanceof UnsupportedOperationException
                || failure instanceof IllformedLocaleException
                || failure instanceof TooComplexToDeterminizeException
                || failure instanceof IndexSearcher.TooManyClauses;
    }

    /**
     * True if the failure was thrown while a query was parsed, before the index was read: the query's text is the cause. A modification by
     * another thread is a fault of the engine at that moment; the same query may succeed.
     *
     * @param reading matches the methods that parse queries, as {@code class.method}
     */
    public static boolean whileRead(Throwable failure, Pattern reading) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException
                    || cause instanceof AlreadyClosedException
                    || cause instanceof ConcurrentModificationException) {
                return false;
            }
        }
        return failure instanceof RuntimeException
                && Arrays.stream(failure.getStackTrace())
                        .anyMatch(frame -> reading.matcher(frame.getClassName() + "." + frame.getMethodName())
                                .find());
    }

    /**
     * Returns a function that puts the reason of a message first and the query's text last, and removes names of classes and parser tokens.
     *
     * @param clauses the advice in place of many clauses
     */
    public static UnaryOperator<String> reasons(String clauses) {
        return message -> reason(message, clauses);
    }

    private static String reason(String message, String clauses) {
        String told = REQUEST.matcher(CLASSES.matcher(message).replaceFirst("")).replaceFirst("");
        Matcher parse = CANNOT_PARSE.matcher(told);
        if (parse.matches()) {
            return reason(parse.group(2), clauses) + "; in: " + parse.group(1);
        }
        Matcher many = CLAUSES.matcher(told);
        if (many.matches()) {
            return "the query has " + (many.group(1) == null ? "too many" : number(many.group(1)))
                    + " clauses, at most " + number(many.group(2)) + ": " + clauses;
        }
        Matcher complex = COMPLEX.matcher(told);
        if (complex.matches()) {
            return "the regular expression or wildcard is too complex; use a simpler one than: " + complex.group(1);
        }
        Matcher number = NUMBER.matcher(told);
        if (number.matches()) {
            return "\"" + shown(number.group(1)) + "\" is not a number, or is too large";
        }
        if (NOTHING.matcher(told).matches()) {
            return "a parser or function has no value for one of its parameters, such as f in {!prefix f=FIELD}";
        }
        Matcher found = ENCOUNTERED.matcher(told);
        if (found.find() && found.start() == 0) {
            return syntax(found.group(1), found.group(2), found.group(3));
        }
        Matcher lexical = LEXICAL.matcher(told);
        return lexical.matches() ? syntax(lexical.group(3), lexical.group(1), lexical.group(2)) : told.strip();
    }

    private static String syntax(String found, String line, String column) {
        Matcher token = TOKEN.matcher(found);
        String at = found.startsWith("<EOF>")
                ? "the query ends too early"
                : "syntax error at "
                        + (token.matches() ? "\"" + shown(token.group(1).strip()) + "\"" : shown(found.strip()));
        return at + ", line " + line + ", column " + column;
    }

    private static String shown(String text) {
        return text.length() > TEXT_CHARS_MAX ? text.substring(0, TEXT_CHARS_MAX) + "..." : text;
    }

    private static String number(String digits) {
        return String.format(Locale.ROOT, "%,d", Long.parseLong(digits));
    }
}
