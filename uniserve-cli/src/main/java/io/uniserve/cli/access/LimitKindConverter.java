package io.uniserve.cli.access;

import io.uniserve.model.access.LimitKind;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of names of limits, such as {@code deadline-ms}, in any case. */
final class LimitKindConverter implements ITypeConverter<LimitKind> {
    @Override
    public LimitKind convert(String text) {
        return Arrays.stream(LimitKind.values())
                .filter(kind -> kind.text().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is no limit: use one of "
                        + Arrays.stream(LimitKind.values()).map(LimitKind::text).collect(Collectors.joining(", "))));
    }
}
