package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateSpecification;

/**
 * Launch template with a version: {@code lt-0abc:3} or {@code NAME:3}. Without a version it is the template's default one.
 *
 * @param name id or name
 * @param version number, {@code $Default} or {@code $Latest}
 */
record LaunchTemplate(String name, String version) {
    private static final Pattern TEMPLATE =
            Pattern.compile("([A-Za-z0-9().\\-/_]{3,128})(?::([0-9]{1,9}|\\$Default|\\$Latest))?");

    /** Parses the setting. Fails with INVALID_CONFIGURATION. */
    static LaunchTemplate parse(String text) {
        Matcher matcher = TEMPLATE.matcher(text);
        if (!matcher.matches()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.coordinator.scaling.template is \"" + text
                            + "\": use the id or name of a launch template, and its version, such as lt-0a1b2c3d:3");
        }
        return new LaunchTemplate(matcher.group(1), matcher.group(2) == null ? "$Default" : matcher.group(2));
    }

    LaunchTemplateSpecification toSpecification() {
        LaunchTemplateSpecification.Builder builder =
                LaunchTemplateSpecification.builder().version(version);
        return (name.startsWith("lt-") ? builder.launchTemplateId(name) : builder.launchTemplateName(name)).build();
    }
}
