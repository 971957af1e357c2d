package io.uniserve.cli.access;

import io.uniserve.error.UniserveException;
import io.uniserve.model.access.LimitKind;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of names of limits, such as {@code deadline-ms}, in any case. */
final class LimitKindConverter implements ITypeConverter<LimitKind> {
    @Override
    public LimitKind convert(String text) {
        try {
            return LimitKind.of(text.toLowerCase(Locale.ROOT));
        } catch (UniserveException e) {
            throw new TypeConversionException(e.reason());
        }
    }
}
