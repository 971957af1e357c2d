package io.uniserve.port.druid.runtime;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.druid.math.expr.Expr;
import org.apache.druid.math.expr.ExprEval;
import org.apache.druid.math.expr.ExprMacroTable;
import org.apache.druid.math.expr.ExpressionType;
import org.apache.druid.math.expr.Function;
import org.apache.druid.math.expr.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Druid's own function in expressions, with a limit on the length of the text that it returns. Without a limit an expression could
 * allocate all memory of a server. Immutable.
 *
 * <p>Errors: TOO_LARGE with the function's name.
 */
final class BoundedFunctionMacro implements ExprMacroTable.ExprMacro {
    /** Functions that can return a text longer than their arguments, or that grow a text when they are nested. */
    static final List<String> NAMES = List.of("repeat", "lpad", "rpad", "concat", "replace", "format");

    /** Width and precision of a conversion of {@code format}. */
    private static final Pattern CONVERSION = Pattern.compile("%(?:\\d+\\$)?[-#+ 0,(<]*(\\d*)(?:\\.(\\d+))?");

    /** Maximum number of characters of a number that is formatted without a width. */
    private static final long NUMBER_CHARS = 400;

    private final String name;
    private final Function function;

    BoundedFunctionMacro(String name) {
        this.name = name;
        this.function = Objects.requireNonNull(Parser.getFunction(name));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Expr apply(List<Expr> args) {
        function.validateArguments(args);
        return new Call(this, args);
    }

    private void check(List<ExprEval<?>> values) {
        long chars = switch (name) {
            case "repeat" -> length(values.get(0)) * Math.max(0, number(values.get(1)));
            case "lpad", "rpad" -> number(values.get(1));
            case "replace" -> length(values.get(0)) * Math.max(1, length(values.get(2)));
            case "format" -> formatted(values);
            default -> values.stream().mapToLong(BoundedFunctionMacro::length).sum();
        };
        check(name, chars);
    }

    /** Fails if a function would return a longer text than the limit. */
    static void check(String function, long chars) {
        if (chars > DruidLimits.EXPRESSION_CHARS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "function " + function + " of an expression would make a text of more than "
                            + DruidLimits.EXPRESSION_CHARS_MAX + " characters: use shorter arguments");
        }
    }

    /** Upper bound of the characters of a formatted text. Each conversion counts the longest argument, as it may name any. */
    private static long formatted(List<ExprEval<?>> values) {
        String format = values.get(0).asString();
        if (format == null) {
            return 0;
        }
        long longest = NUMBER_CHARS;
        for (ExprEval<?> value : values.subList(1, values.size())) {
            longest = Math.max(longest, length(value));
        }
        long chars = format.length();
        Matcher conversions = CONVERSION.matcher(format);
        while (conversions.find()) {
            chars += longest + digits(conversions.group(1)) + digits(conversions.group(2));
        }
        return chars;
    }

    private static long digits(@Nullable String number) {
        if (number == null || number.isEmpty()) {
            return 0;
        }
        return number.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(number);
    }

    private static long length(ExprEval<?> value) {
        String text = value.asString();
        return text == null ? 0 : text.length();
    }

    private static long number(ExprEval<?> value) {
        return Math.min(Integer.MAX_VALUE, value.asLong());
    }

    /** Call of the function. Arguments are computed once. */
    private static final class Call extends ExprMacroTable.BaseScalarMacroFunctionExpr {
        private final BoundedFunctionMacro bounded;

        Call(BoundedFunctionMacro bounded, List<Expr> args) {
            super(bounded, args);
            this.bounded = bounded;
        }

        @Override
        @SuppressWarnings("rawtypes") // Druid's signature.
        public ExprEval eval(ObjectBinding bindings) {
            List<ExprEval<?>> values =
                    args.stream().<ExprEval<?>>map(arg -> arg.eval(bindings)).toList();
            bounded.check(values);
            return bounded.function.apply(values.stream().map(ExprEval::toExpr).toList(), bindings);
        }

        @Override
        public @Nullable ExpressionType getOutputType(InputBindingInspector inspector) {
            return bounded.function.getOutputType(inspector, args);
        }
    }
}
