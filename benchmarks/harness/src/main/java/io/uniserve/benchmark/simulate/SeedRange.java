package io.uniserve.benchmark.simulate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Range of seeds {@code A..B}, both included, or one seed {@code A}. */
record SeedRange(long from, long to) {
    private static final Pattern FORM = Pattern.compile("(-?[0-9]{1,18})(?:\\.\\.(-?[0-9]{1,18}))?");
    private static final long SEEDS_MAX = 10_000_000;

    /** Number of seeds. */
    long count() {
        return to - from + 1;
    }

    @Override
    public String toString() {
        return from + ".." + to;
    }

    /** Converter of the option. */
    static final class Converter implements ITypeConverter<SeedRange> {
        @Override
        public SeedRange convert(String text) {
            Matcher form = FORM.matcher(text.strip());
            if (!form.matches()) {
                throw wrong(text, "use A..B, e.g. 1..20");
            }
            long from = Long.parseLong(form.group(1));
            long to = form.group(2) == null ? from : Long.parseLong(form.group(2));
            if (to < from || to - from >= SEEDS_MAX) {
                throw wrong(text, "use 1 to " + SEEDS_MAX + " seeds, ascending");
            }
            return new SeedRange(from, to);
        }

        private static TypeConversionException wrong(String text, String remedy) {
            return new TypeConversionException("'" + text + "' is not a range of seeds: " + remedy);
        }
    }
}
