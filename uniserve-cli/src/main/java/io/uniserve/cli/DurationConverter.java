package io.uniserve.cli;

import io.uniserve.limit.Limits;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of time limits such as {@code 500ms}, {@code 5s} or {@code 2m}. A unit is required; the maximum is one hour. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\s*(ms|s|m)");

    @Override
    public Duration convert(String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw invalidValue(text, "give a number with a unit, e.g. 500ms, 5s or 2m");
        }
        long number = Long.parseLong(form.group(1));
        Duration duration = switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
        if (duration.isZero() || duration.toMillis() > Limits.DEADLINE_MS_MAX) {
            throw invalidValue(text, "use 1ms to " + Limits.DEADLINE_MS_MAX / 60_000 + "m");
        }
        return duration;
    }

    private static TypeConversionException invalidValue(String text, String remedy) {
        return new TypeConversionException("'" + text + "' is not a time limit: " + remedy);
    }
}
