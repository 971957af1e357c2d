package io.uniserve.port.druid.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.druid.math.expr.Expr;
import org.apache.druid.math.expr.ExprEval;
import org.apache.druid.math.expr.ExprMacroTable;
import org.apache.druid.math.expr.ExpressionType;
import org.apache.druid.query.expression.RegexpReplaceExprMacro;
import org.jspecify.annotations.Nullable;

/**
 * Druid's macro {@code regexp_replace}, with a limit on the length of the text that it returns. Druid's code checks the arguments. The
 * replacement is Java's, as in Druid, but stops at the match that exceeds the limit. Immutable.
 *
 * <p>Errors: TOO_LARGE with the macro's name.
 */
final class BoundedRegexpReplace implements ExprMacroTable.ExprMacro {
    static final String NAME = "regexp_replace";

    private static final int PATTERNS_MAX = 16;

    private final RegexpReplaceExprMacro macro = new RegexpReplaceExprMacro();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Expr apply(List<Expr> args) {
        macro.apply(args);
        return new Call(this, args);
    }

    /** Fails before the text is longer than the limit. */
    static String replace(String text, Pattern pattern, String replacement) {
        long references = replacement.chars().filter(c -> c == '$').count();
        BoundedFunctionMacro.check(NAME, replacement.length() + references * text.length());
        StringBuilder out = new StringBuilder();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            matcher.appendReplacement(out, replacement);
            BoundedFunctionMacro.check(NAME, out.length());
        }
        matcher.appendTail(out);
        return out.toString();
    }

    /** Call of the macro. Arguments are computed once. Compiled patterns are cached, because most calls have only one. */
    private static final class Call extends ExprMacroTable.BaseScalarMacroFunctionExpr {
        private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();

        Call(BoundedRegexpReplace macro, List<Expr> args) {
            super(macro, args);
        }

        @Override
        @SuppressWarnings("rawtypes") // Druid's signature.
        public ExprEval eval(ObjectBinding bindings) {
            List<@Nullable String> values = new ArrayList<>();
            args.forEach(arg -> values.add(arg.eval(bindings).asString()));
            String text = values.get(0);
            String pattern = values.get(1);
            String replacement = values.get(2);
            if (text == null || pattern == null || replacement == null) {
                return ExprEval.of(null);
            }
            if (patterns.size() > PATTERNS_MAX) {
                patterns.clear();
            }
            return ExprEval.of(replace(text, patterns.computeIfAbsent(pattern, Pattern::compile), replacement));
        }

        @Override
        public ExpressionType getOutputType(InputBindingInspector inspector) {
            return ExpressionType.STRING;
        }
    }
}
