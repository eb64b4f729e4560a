package cmd

import (
	"github.com/urfave/cli/v2"

	"kind4/render"
)

func explainCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say what a finding, an exit code, a kind, an error code or a method means",
		ArgsUsage: "[WORD ...]",
		Description: "Says what the word means, why it matters and what to do; every meaning that it has. Without a word, " +
			"lists all that there is to explain.",
		Flags: []cli.Flag{colorFlag()},
		Action: func(c *cli.Context) error {
			when, err := choice(c, flagColor, "auto", "always", "never")
			if err != nil {
				return err
			}
			*code = exitOK
			return explain(wordsTo(env.out), c.Args().Slice(), render.NewTheme(useColor(when, env.out)))
		},
	}
}
