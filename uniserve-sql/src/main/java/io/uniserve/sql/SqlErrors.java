package io.uniserve.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.io.StringReader;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Errors that say where in the query. */
final class SqlErrors {
    private static final Pattern AT = Pattern.compile(" at line \\d+, column \\d+\\.?");
    private static final Pattern TOKEN = Pattern.compile("(?s)Encountered \"(.*?)\" at line.*");

    private static final Pattern SIGNATURE =
            Pattern.compile("(?s)No match found for function signature ([^(]+)\\((.*)\\)");

    private SqlErrors() {}

    /** What the parser did not understand. */
    static UniserveException syntax(SqlParseException failure, @Nullable SqlParserPos place, SqlParser.Config parser) {
        if (failure.getCause() instanceof StackOverflowError) {
            return tooDeep(failure);
        }
        String message = String.valueOf(failure.getMessage());
        Matcher token = TOKEN.matcher(message);
        String first = message.lines().findFirst().orElse("");
        String told = token.matches()
                ? "syntax error at \"" + Printable.line(token.group(1)) + "\"" + reserved(token.group(1), parser)
                : "syntax error: " + Printable.line(AT.matcher(first).replaceAll(""));
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, at(place) + told, failure);
    }

    /** How to name a column by a word of SQL's own, where the parser stopped within one or behind it. */
    private static String reserved(String tokens, SqlParser.Config parser) {
        for (String word : tokens.strip().split("\\s+")) {
            if (word.matches("\\w+")
                    && parser.parserFactory()
                            .getParser(new StringReader(""))
                            .getMetadata()
                            .isReservedWord(word.toUpperCase(Locale.ROOT))) {
                return "; " + word + " is a reserved word: a column of this name stands in double quotes, \"" + word
                        + "\"";
            }
        }
        return "";
    }

    /** What Calcite says of a date, time or timestamp that is none; any other failure is the planner's own, and is returned as it is. */
    static RuntimeException literal(IllegalArgumentException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(" out of range: [")
                ? new UniserveException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a date, time or timestamp is not valid: " + Printable.line(message),
                        failure)
                : failure;
    }

    /** What the validator says, as a sentence of the query's words. */
    static String plain(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher signature = SIGNATURE.matcher(message);
        if (signature.matches()) {
            return "function " + signature.group(1) + " does not take "
                    + (signature.group(2).isBlank()
                            ? "no arguments"
                            : "arguments of types " + signature.group(2).replaceAll("[<>]", ""))
                    + "; docs/manual/sql.md lists what there is";
        }
        String remedy = message.equals("Illegal use of 'NULL'") ? "; give it a type, as CAST(NULL AS INTEGER)" : "";
        return Printable.line(message + remedy);
    }

    /** A part of a query in SQL's words, not in those of the parser. */
    static String words(SqlKind kind) {
        return switch (kind) {
            case COLLECTION_TABLE, OTHER_FUNCTION -> "a function";
            case ARRAY_VALUE_CONSTRUCTOR -> "ARRAY";
            case MAP_VALUE_CONSTRUCTOR -> "MAP";
            case MULTISET_VALUE_CONSTRUCTOR -> "MULTISET";
            case DYNAMIC_PARAM -> "a parameter (?)";
            case OTHER -> "this part of SQL";
            default -> kind.name().replace('_', ' ');
        };
    }

    static UniserveException tooDeep(Throwable failure) {
        String message = "the query's expressions are nested too deeply; use fewer parentheses and operators";
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, message, failure);
    }

    /** What is well-formed, and wrong for this table. */
    static UniserveException wrong(CalciteContextException failure) {
        Throwable cause = failure.getCause();
        String told = plain(cause == null ? failure : cause);
        SqlParserPos place = new SqlParserPos(failure.getPosLine(), failure.getPosColumn());
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, at(place) + told, failure);
    }

    static UniserveException invalid(SqlNode node, String problem) {
        return UniserveException.invalid(at(node.getParserPosition()) + problem);
    }

    /** What SQL knows and this planner does not. */
    static UniserveException unsupported(SqlNode node, String what) {
        return UniserveException.unsupported(
                at(node.getParserPosition()) + what + " not supported; docs/manual/sql.md lists what is");
    }

    static UniserveException tooMany(SqlNode node, int most) {
        return UniserveException.unsupported(at(node.getParserPosition()) + "a query has at most " + most
                + " SELECTs, those of sub-queries and WITH among them, and this is one more: ask for several values of"
                + " the same rows in one SELECT, join tables in place of sub-queries, or ask several queries");
    }

    /** What somebody else says of what stands here. A table that is not there is the query's fault, not one of its routing. */
    static UniserveException at(SqlNode node, UniserveException failure) {
        ErrorCode code = failure.code() == ErrorCode.TABLE_NOT_FOUND ? ErrorCode.INVALID_ARGUMENT : failure.code();
        return new UniserveException(code, at(node.getParserPosition()) + failure.reason(), failure);
    }

    /** Where a node stands, to put before what is said of it. */
    static String place(SqlNode node) {
        return at(node.getParserPosition());
    }

    private static String at(@Nullable SqlParserPos place) {
        if (place == null) {
            return "";
        }
        return "line " + place.getLineNum() + ", column " + place.getColumnNum() + ": ";
    }
}
